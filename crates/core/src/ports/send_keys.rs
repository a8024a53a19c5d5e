//! Idempotency keys of sends.

use inboxd_port_macros::port;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use crate::model::{IdempotencyClaim, IdempotencyKey, SendResult, UsedKey};

/// Times of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimTimes {
    /// The current time.
    pub now: OffsetDateTime,
    /// The end of the lease.
    pub until: OffsetDateTime,
    /// Keys used at or before this time have expired.
    pub forgotten: OffsetDateTime,
}

/// Writes of idempotency keys, which are unique per organization.
#[port]
pub trait IdempotencyKeyWrites: Send {
    /// Claims a free key: unused, expired, or with an expired claim. Otherwise returns its previous use.
    async fn claim(
        &mut self,
        key: &IdempotencyKey,
        claim_id: Uuid,
        times: ClaimTimes,
    ) -> Result<Option<UsedKey>, StoreError>;

    /// Stores the response of a claimed send. Returns whether the claim was still valid.
    async fn keep(
        &mut self,
        claim: &IdempotencyClaim,
        sent: &SendResult,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Releases a claim without a stored response.
    async fn release(&mut self, claim: &IdempotencyClaim) -> Result<(), StoreError>;

    /// Deletes up to `limit` keys used at or before this time. Returns the number of deleted keys.
    async fn purge(&mut self, forgotten: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}
