//! Row of an organization, and its stored words.

use diesel::{Insertable, Queryable, QueryableByName, Selectable};
use inboxd_core::model::{BrakeLevel, Organization, QuarantineMode, SendingBrake, Suspension};
use inboxd_core::ports::StoreError;
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::schema::organizations;
use crate::text::stored;

/// A row of `organizations`.
#[derive(Queryable, QueryableByName, Selectable, Insertable, Clone)]
#[diesel(table_name = organizations, check_for_backend(diesel::pg::Pg))]
pub(crate) struct OrganizationRow {
    pub(crate) organization_id: Uuid,
    pub(super) owner_email: Option<String>,
    pub(super) plan: String,
    pub(super) verified_at: Option<OffsetDateTime>,
    pub(super) default_pod_id: Uuid,
    pub(super) created_at: OffsetDateTime,
    pub(super) updated_at: OffsetDateTime,
    pub(super) suspended_at: Option<OffsetDateTime>,
    pub(super) suspended_reason: Option<String>,
    pub(super) quarantine: String,
    pub(super) owner_changes: i32,
    pub(super) brake: Option<String>,
    pub(super) brake_since: Option<OffsetDateTime>,
    pub(super) brake_reason: Option<String>,
    pub(super) brake_counts_from: Option<OffsetDateTime>,
}

impl OrganizationRow {
    pub(super) fn of(organization: &Organization) -> Self {
        Self {
            organization_id: organization.organization_id.0,
            owner_email: organization.owner_email.as_ref().map(|email| email.as_str().to_owned()),
            plan: organization.plan.as_str().to_owned(),
            verified_at: organization.verified_at,
            default_pod_id: organization.default_pod_id.0,
            created_at: organization.created_at,
            updated_at: organization.updated_at,
            suspended_at: organization.suspension.as_ref().map(|suspension| suspension.at),
            suspended_reason: organization.suspension.as_ref().map(|suspension| stored(&suspension.reason)),
            quarantine: organization.quarantine.as_str().to_owned(),
            owner_changes: i32::try_from(organization.owner_changes).unwrap_or(i32::MAX),
            brake: organization.brake.as_ref().map(|brake| brake.level.as_str().to_owned()),
            brake_since: organization.brake.as_ref().map(|brake| brake.since),
            brake_reason: organization.brake.as_ref().map(|brake| stored(&brake.reason)),
            brake_counts_from: organization.brake_counts_from,
        }
    }

    /// Returns the organization of the row.
    pub(crate) fn entity(self) -> Result<Organization, StoreError> {
        Ok(Organization {
            organization_id: self.organization_id.into(),
            owner_email: self.owner_email.as_deref().map(stored_address).transpose()?,
            owner_changes: u32::try_from(self.owner_changes).unwrap_or(u32::MAX),
            plan: self.plan.parse().map_err(|_| StoreError::Failed(format!("unknown plan {:?}", self.plan)))?,
            verified_at: self.verified_at,
            default_pod_id: self.default_pod_id.into(),
            suspension: self
                .suspended_at
                .map(|at| Suspension { at, reason: self.suspended_reason.unwrap_or_default() }),
            brake: self
                .brake
                .zip(self.brake_since)
                .map(|(level, since)| {
                    let level = BrakeLevel::named(&level)
                        .ok_or_else(|| StoreError::Failed(format!("unknown brake {level:?}")))?;
                    Ok::<_, StoreError>(SendingBrake { level, since, reason: self.brake_reason.unwrap_or_default() })
                })
                .transpose()?,
            brake_counts_from: self.brake_counts_from,
            quarantine: stored_quarantine(&self.quarantine)?,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// Parses a stored quarantine.
pub(crate) fn stored_quarantine(text: &str) -> Result<QuarantineMode, StoreError> {
    QuarantineMode::named(text).ok_or_else(|| StoreError::Failed(format!("unknown quarantine {text:?}")))
}

/// Parses the stored own quarantine of a pod or inbox.
pub(crate) fn stored_own_quarantine(text: Option<&str>) -> Result<Option<QuarantineMode>, StoreError> {
    text.map(stored_quarantine).transpose()
}

/// Parses a stored address.
pub(crate) fn stored_address(text: &str) -> Result<EmailAddress, StoreError> {
    text.parse().map_err(|_| StoreError::Failed(format!("stored address {text:?} cannot be read")))
}

/// Parses a stored SHA-256.
pub(crate) fn stored_hash(bytes: Vec<u8>) -> Result<[u8; 32], StoreError> {
    bytes.try_into().map_err(|_| StoreError::Failed("a stored hash does not have 32 bytes".to_owned()))
}
