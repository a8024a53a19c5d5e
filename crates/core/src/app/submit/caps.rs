//! Quotas of organizations, counted under row locks and thus exact for concurrent submissions.

use std::collections::{BTreeMap, BTreeSet};

use time::{Date, OffsetDateTime};

use crate::Error;
use crate::model::{MailCharge, Organization, OrganizationId, SendCounts};
use crate::ports::{StoreError, Tx};
use crate::rules::{limits, sending_brake, suspension};

/// Quota usage of organizations.
pub(super) struct Caps {
    now: OffsetDateTime,
    used: BTreeMap<OrganizationId, Used>,
}

/// Rest of the limits of an organization on sends and storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendAllowance {
    /// Messages of the calendar day, UTC.
    pub today: QuotaLeft,
    /// Messages of the calendar month, UTC.
    pub this_month: QuotaLeft,
    /// Bytes of live messages, drafts, notes and files.
    pub storage_bytes: QuotaLeft,
}

/// A limit of an organization and its rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaLeft {
    /// The limit; `None` is unlimited.
    pub limit: Option<u64>,
    /// The rest of the limit.
    pub remaining: Option<u64>,
    /// Time at which the limit resets.
    pub resets_at: Option<OffsetDateTime>,
}

impl QuotaLeft {
    fn new(limit: Option<u64>, used: u64, resets_at: Option<OffsetDateTime>) -> Self {
        let resets_at = resets_at.filter(|_| limit.is_some());
        Self { limit, remaining: limit.map(|limit| limit.saturating_sub(used)), resets_at }
    }
}

struct Used {
    organization: Organization,
    storage_bytes: u64,
    sent: SendCounts,
    /// Messages accepted in this unit of work.
    accepted: u32,
}

impl Caps {
    /// Locks organizations and reads their usage.
    pub(super) async fn lock(
        tx: &mut dyn Tx,
        organizations: BTreeSet<OrganizationId>,
        now: OffsetDateTime,
    ) -> Result<Self, StoreError> {
        let mut used = BTreeMap::new();
        for organization_id in organizations {
            let Some(organization) = tx.accounts().lock(organization_id).await? else { continue };
            let limits = organization.limits();
            let storage_bytes =
                if limits.storage_bytes.is_some() { tx.usage().storage_bytes(organization_id).await? } else { 0 };
            let is_counted = limits::daily(&organization).is_some() || limits.emails_per_month.is_some();
            let sent =
                if is_counted { tx.usage().sends(organization_id, now.date()).await? } else { SendCounts::default() };
            used.insert(organization_id, Used { organization, storage_bytes, sent, accepted: 0 });
        }
        Ok(Self { now, used })
    }

    /// Refuses another message of an organization that has reached a quota.
    pub(super) fn allow(&self, organization_id: OrganizationId) -> Result<(), Error> {
        let used = self.used.get(&organization_id).ok_or_else(|| Error::no_organization(organization_id))?;
        suspension::require_active(&used.organization)?;
        sending_brake::require_unheld(&used.organization)?;
        limits::allow_storage(&used.organization, used.storage_bytes)?;
        limits::allow_send(&used.organization, used.sent, self.now)
    }

    /// Refuses more storage to an organization that has reached its storage quota.
    pub(super) fn allow_storage(&self, organization_id: OrganizationId) -> Result<(), Error> {
        let used = self.used.get(&organization_id).ok_or_else(|| Error::no_organization(organization_id))?;
        limits::allow_storage(&used.organization, used.storage_bytes)
    }

    /// Returns the charge of a message from an unverified organization, which may write to its owner alone. The charge
    /// is per mailbox, because any number of organizations may name the same owner.
    pub(super) fn owner_charge(&self, organization_id: OrganizationId) -> Option<MailCharge> {
        let organization = &self.used.get(&organization_id)?.organization;
        let owner = organization.owner_email.as_ref().filter(|_| !organization.is_verified());
        owner.map(MailCharge::of_unconfirmed_owner)
    }

    /// Returns the rest of the limits of an organization.
    pub(super) fn allowance(&self, organization_id: OrganizationId) -> Result<SendAllowance, Error> {
        let used = self.used.get(&organization_id).ok_or_else(|| Error::no_organization(organization_id))?;
        let plan = used.organization.limits();
        Ok(SendAllowance {
            today: QuotaLeft::new(limits::daily(&used.organization), used.sent.today, Some(limits::next_day(self.now))),
            this_month: QuotaLeft::new(plan.emails_per_month, used.sent.this_month, Some(limits::next_month(self.now))),
            storage_bytes: QuotaLeft::new(plan.storage_bytes, used.storage_bytes, None),
        })
    }

    /// Counts an accepted message.
    pub(super) fn count(&mut self, organization_id: OrganizationId, bytes: usize) {
        let Some(used) = self.used.get_mut(&organization_id) else { return };
        used.storage_bytes = used.storage_bytes.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        used.sent.today = used.sent.today.saturating_add(1);
        used.sent.this_month = used.sent.this_month.saturating_add(1);
        used.accepted = used.accepted.saturating_add(1);
    }

    /// Returns the numbers of accepted messages to store.
    pub(super) fn sends(&self) -> Vec<(OrganizationId, Date, u32)> {
        let used = self.used.iter().filter(|(_, used)| used.accepted > 0);
        used.map(|(organization_id, used)| (*organization_id, self.now.date(), used.accepted)).collect()
    }
}
