//! Keys of repeatable sends.

use inboxd_port_macros::port;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use crate::model::{IdempotencyClaim, IdempotencyKey, SendResult, UsedKey};

/// How long a claim of a key lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimTimes {
    /// The time.
    pub now: OffsetDateTime,
    /// When the claim runs out, should nothing come of it.
    pub until: OffsetDateTime,
    /// What was used at this time or before is forgotten.
    pub forgotten: OffsetDateTime,
}

/// Changes of keys. A key belongs to its organization.
#[port]
pub trait IdempotencyKeyWrites: Send {
    /// Claims a key that is free: never used, forgotten, or claimed so long ago that the claim has run out. Answers how
    /// it was used where it is not free.
    async fn claim(
        &mut self,
        key: &IdempotencyKey,
        claim_id: Uuid,
        times: ClaimTimes,
    ) -> Result<Option<UsedKey>, StoreError>;

    /// Keeps what the send of a claim was answered. Answers whether the claim was still there.
    async fn keep(
        &mut self,
        claim: &IdempotencyClaim,
        sent: &SendResult,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Gives up a claim of which nothing was kept.
    async fn release(&mut self, claim: &IdempotencyClaim) -> Result<(), StoreError>;

    /// Deletes up to `limit` keys that were used at this time or before, and answers how many.
    async fn purge(&mut self, forgotten: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}
