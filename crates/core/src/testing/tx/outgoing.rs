//! Mocks of what a unit of work does to mail that leaves.

use async_trait::async_trait;
use mockall::mock;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::model::return_path::SentMail;
use crate::model::{
    ClaimedMail, OperatorMail, OrganizationId, Outgoing, OutgoingId, SendClaim, SendKey, Sent, Suppression, UsedKey,
};
use crate::ports::{
    CapturedMail, ClaimTimes, IdempotencyKeyWrites, OperatorMailWrites, OutgoingClaim, OutgoingWrites, QueueSlice,
    ReturnPathWrites, StoreError, SuppressionWrites,
};

mock! {
    /// Expectations of a unit of work on [`OperatorMailWrites`].
    pub OperatorMailWrites {}

    #[async_trait]
    impl OperatorMailWrites for OperatorMailWrites {
        async fn hold(&mut self, mail: &OperatorMail) -> Result<bool, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`OutgoingWrites`].
    pub OutgoingWrites {}

    #[async_trait]
    impl OutgoingWrites for OutgoingWrites {
        async fn enqueue(&mut self, mails: &[Outgoing]) -> Result<(), StoreError>;
        async fn claim(&mut self, claim: &OutgoingClaim) -> Result<Vec<Outgoing>, StoreError>;
        async fn defer(&mut self, mail: &Outgoing) -> Result<bool, StoreError>;
        async fn postpone(&mut self, claim: ClaimedMail, due_at: OffsetDateTime) -> Result<bool, StoreError>;
        async fn remove(&mut self, claims: &[ClaimedMail]) -> Result<Vec<ClaimedMail>, StoreError>;
        async fn suspend(&mut self, slice: &QueueSlice) -> Result<Option<OutgoingId>, StoreError>;
        async fn resume(&mut self, slice: &QueueSlice) -> Result<Option<OutgoingId>, StoreError>;
        async fn take_before(&mut self, at: OffsetDateTime, limit: u32) -> Result<Vec<Outgoing>, StoreError>;
        async fn capture(&mut self, mail: &CapturedMail) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`ReturnPathWrites`].
    pub ReturnPathWrites {}

    #[async_trait]
    impl ReturnPathWrites for ReturnPathWrites {
        async fn lock(
            &mut self,
            organization_id: OrganizationId,
            outgoing_id: OutgoingId,
        ) -> Result<Option<SentMail>, StoreError>;
        async fn tell(&mut self, mail: &SentMail) -> Result<(), StoreError>;
        async fn forget(&mut self, before: OutgoingId, limit: u32) -> Result<u64, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`IdempotencyKeyWrites`].
    pub IdempotencyKeyWrites {}

    #[async_trait]
    impl IdempotencyKeyWrites for IdempotencyKeyWrites {
        async fn claim(
            &mut self,
            key: &SendKey,
            claim_id: Uuid,
            times: ClaimTimes,
        ) -> Result<Option<UsedKey>, StoreError>;
        async fn keep(&mut self, claim: &SendClaim, sent: &Sent, now: OffsetDateTime) -> Result<bool, StoreError>;
        async fn release(&mut self, claim: &SendClaim) -> Result<(), StoreError>;
        async fn purge(&mut self, forgotten: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`SuppressionWrites`].
    pub SuppressionWrites {}

    #[async_trait]
    impl SuppressionWrites for SuppressionWrites {
        async fn add(&mut self, suppression: &Suppression) -> Result<(), StoreError>;
    }
}
