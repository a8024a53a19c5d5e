//! First rows of an organization: the organization itself, its default pod, first inbox and owner.

use std::collections::BTreeSet;

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use crate::Error;
use crate::app::App;
use crate::model::{
    Inbox, InboxId, Member, MemberId, Metadata, Organization, OrganizationId, Plan, Pod, PodId, Policy, PolicyLevel,
    PolicyRules, QuarantineMode, Role,
};
use crate::ports::{Constraint, StoreError, Tx};

/// The first rows of an organization.
pub(in crate::app) struct NewAccount {
    /// The organization.
    pub(in crate::app) organization: Organization,
    pod: Pod,
    /// The first inbox.
    pub(in crate::app) inbox: Inbox,
    /// The owner, if a sign-up named one.
    pub(in crate::app) owner: Option<Member>,
}

/// Returns the member that owns an organization.
pub(super) fn owner_of(
    app: &App,
    organization_id: OrganizationId,
    email: &EmailAddress,
    now: OffsetDateTime,
) -> Member {
    Member {
        organization_id,
        member_id: app.mint::<MemberId>(now),
        email: email.clone(),
        name: Member::name_of(email),
        role: Role::Owner,
        inbox_ids: BTreeSet::new(),
        client_id: None,
        joined_at: Some(now),
        created_at: now,
        updated_at: now,
    }
}

impl NewAccount {
    /// Creates the rows for an owner. `verified_at` is the time at which a code proved the address, if one did.
    pub(in crate::app) fn create(
        app: &App,
        owner_email: Option<&EmailAddress>,
        inbox_id: InboxId,
        verified_at: Option<OffsetDateTime>,
        now: OffsetDateTime,
    ) -> Self {
        let (organization_id, pod_id): (OrganizationId, PodId) = (app.mint(now), app.mint(now));
        let organization = Organization {
            organization_id,
            owner_email: owner_email.cloned(),
            owner_changes: 0,
            plan: Plan::Free,
            verified_at,
            default_pod_id: pod_id,
            suspension: None,
            brake: None,
            brake_counts_from: None,
            quarantine: QuarantineMode::Off,
            created_at: now,
            updated_at: now,
        };
        let name = "Default".to_owned();
        let pod =
            Pod { organization_id, pod_id, name, client_id: None, quarantine: None, created_at: now, updated_at: now };
        let inbox = Inbox {
            organization_id,
            pod_id,
            inbox_id,
            display_name: None,
            client_id: None,
            paused_at: None,
            retention_days: None,
            quarantine: None,
            metadata: Metadata::new(),
            created_at: now,
            updated_at: now,
        };
        let owner = owner_email.map(|email| owner_of(app, organization_id, email, now));
        Self { organization, pod, inbox, owner }
    }

    /// Returns the policy of the new organization.
    fn policy(&self) -> Policy {
        Policy {
            organization_id: self.organization.organization_id,
            level: PolicyLevel::Organization,
            rules: PolicyRules::of_new_organization(),
            updated_by: None,
            updated_at: self.organization.created_at,
        }
    }

    /// Stores the rows.
    ///
    /// # Errors
    /// [`Error::AccountExists`], [`Error::AddressTaken`].
    pub(in crate::app) async fn insert(&self, tx: &mut dyn Tx) -> Result<(), Error> {
        tx.accounts().insert(&self.organization).await.map_err(|error| match error {
            StoreError::Duplicate(Constraint::OwnerEmail) => {
                Error::AccountExists(self.organization.owner_text().to_owned())
            }
            error => error.into(),
        })?;
        tx.accounts().insert_pod(&self.pod).await?;
        tx.policies().put(&self.policy()).await?;
        if let Some(owner) = &self.owner {
            tx.members().insert(owner).await?;
        }
        tx.inboxes().insert(&self.inbox).await.map_err(|error| match error {
            StoreError::Duplicate(Constraint::Address) => Error::AddressTaken(self.inbox.inbox_id.to_string()),
            error => error.into(),
        })
    }
}
