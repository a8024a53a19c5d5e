//! Policies of sending, and the facts that they ask for.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{
    ApiKeyId, HidingLabels, InboxId, KnownRecipient, OrganizationId, Policy, PolicyLevel, SealedCodes, ThreadId,
};

/// Messages of an inbox whose codes are stored, the newest ones.
pub const MAX_CODE_MAILS: i64 = 500;

/// Policies of levels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BindingPolicies {
    /// The policies, in the order of the levels.
    pub policies: Vec<Policy>,
    /// Keys that were revoked. Their policies are gone, so they must send nothing.
    pub revoked: Vec<ApiKeyId>,
}

/// Reads of policies.
#[port]
pub trait PolicyReads {
    /// Returns the policy of a level.
    async fn policy(&self, organization_id: OrganizationId, level: &PolicyLevel) -> Result<Option<Policy>, StoreError>;
}

/// Writes of policies, and reads under the lock of the organization.
#[port]
pub trait PolicyWrites: Send {
    /// Returns the policies of these levels, and those of the levels that are revoked keys, all of one moment.
    async fn binding(
        &mut self,
        organization_id: OrganizationId,
        levels: &[PolicyLevel],
    ) -> Result<BindingPolicies, StoreError>;

    /// Returns whether a live message of a thread was judged suspicious.
    async fn has_suspicious(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<bool, StoreError>;

    /// Stores a policy in place of that of its level.
    async fn put(&mut self, policy: &Policy) -> Result<(), StoreError>;

    /// Deletes the policy of a level and returns it, if there was one.
    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        level: &PolicyLevel,
    ) -> Result<Option<Policy>, StoreError>;

    /// Returns those of these addresses to which the inbox wrote, that a person trusts as contacts, or that belong to a
    /// member. A blocked contact is left out.
    async fn known(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        addresses: &[EmailAddress],
    ) -> Result<Vec<KnownRecipient>, StoreError>;

    /// Stores the codes of new messages. Of an inbox, the newest [`MAX_CODE_MAILS`] remain.
    async fn keep_codes(&mut self, codes: &[SealedCodes]) -> Result<(), StoreError>;

    /// Returns the stored codes that the inbox received after a time, the newest first, also of messages that are gone.
    /// Those of messages with other hiding labels than `readable` are left out.
    async fn received_codes(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        readable: HidingLabels,
        after: OffsetDateTime,
    ) -> Result<Vec<SealedCodes>, StoreError>;

    /// Deletes up to `limit` stored codes from before a time. Returns the number of their messages.
    async fn purge_codes(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;

    /// Returns the number of messages counted for each subject after a time; subjects without any are absent.
    async fn counted(
        &mut self,
        organization_id: OrganizationId,
        subjects: &[String],
        after: OffsetDateTime,
    ) -> Result<Vec<(String, u32)>, StoreError>;

    /// Counts a message for each of these subjects, each given once.
    async fn count(
        &mut self,
        organization_id: OrganizationId,
        subjects: &[String],
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Deletes up to `limit` counts from before a time. Returns the number of deleted counts.
    async fn purge_counts(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}
