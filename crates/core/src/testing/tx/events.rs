//! Mocks of what a unit of work does to events, and to whoever is told of them.

use async_trait::async_trait;
use mockall::mock;
use time::OffsetDateTime;

use crate::model::{Event, EventId, InboxId, OrganizationId, PodId, Sealed, Webhook, WebhookAttempt, WebhookId};
use crate::ports::{
    DeliveryWrites, EventWrites, FailureRun, QueuedEvent, ReplaySpan, ReplayWrites, Settlement, StoreError, Walked,
    WebhookWrites,
};

mock! {
    /// What a unit of work does to [`EventWrites`].
    pub EventWrites {}

    #[async_trait]
    impl EventWrites for EventWrites {
        async fn append(&mut self, events: &[Event]) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`WebhookWrites`].
    pub WebhookWrites {}

    #[async_trait]
    impl WebhookWrites for WebhookWrites {
        async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;
        async fn all(&mut self, organization_id: OrganizationId) -> Result<Vec<Webhook>, StoreError>;
        async fn insert(&mut self, webhook: &Webhook, sealed: &Sealed) -> Result<(), StoreError>;
        async fn lock(
            &mut self,
            organization_id: OrganizationId,
            webhook_id: WebhookId,
        ) -> Result<Option<(Webhook, Sealed)>, StoreError>;
        async fn update(&mut self, webhook: &Webhook, sealed: &Sealed) -> Result<(), StoreError>;
        async fn delete(&mut self, organization_id: OrganizationId, webhook_id: WebhookId) -> Result<bool, StoreError>;
        async fn leave_inbox(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
        async fn leave_pod(
            &mut self,
            organization_id: OrganizationId,
            pod_id: PodId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`DeliveryWrites`].
    pub DeliveryWrites {}

    #[async_trait]
    impl DeliveryWrites for DeliveryWrites {
        async fn log(&mut self, attempts: &[WebhookAttempt]) -> Result<(), StoreError>;
        async fn settle(&mut self, settlements: &[Settlement]) -> Result<(), StoreError>;
        async fn lock_runs(
            &mut self,
            webhooks: &[(OrganizationId, WebhookId, bool)],
        ) -> Result<Vec<FailureRun>, StoreError>;
        async fn update_runs(&mut self, runs: &[FailureRun], at: OffsetDateTime) -> Result<(), StoreError>;
        async fn purge(&mut self, forgotten: EventId, limit: u32) -> Result<u64, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`ReplayWrites`].
    pub ReplayWrites {}

    #[async_trait]
    impl ReplayWrites for ReplayWrites {
        async fn event(
            &mut self,
            organization_id: OrganizationId,
            event_id: EventId,
        ) -> Result<Option<QueuedEvent>, StoreError>;
        async fn queue(
            &mut self,
            webhook_id: WebhookId,
            event: &QueuedEvent,
            now: OffsetDateTime,
        ) -> Result<bool, StoreError>;
        async fn begin(&mut self, span: &ReplaySpan) -> Result<(), StoreError>;
        async fn next(
            &mut self,
            most_waiting: u32,
            now: OffsetDateTime,
        ) -> Result<Option<(OrganizationId, WebhookId)>, StoreError>;
        async fn walk(
            &mut self,
            organization_id: OrganizationId,
            webhook_id: WebhookId,
            now: OffsetDateTime,
            limit: u32,
        ) -> Result<Walked, StoreError>;
    }
}
