//! Changes of the queue: each method of the port runs one or two statements for any number of deliveries.

use async_trait::async_trait;
use inboxd_core::model::{EventId, OrganizationId, WebhookAttempt, WebhookId};
use inboxd_core::ports::{DeliveryWrites, FailureRun, Settlement, StoreError};
use time::OffsetDateTime;

use super::{QUEUED, failure_state, update_claimed};
use crate::sql::Sql;
use crate::tx::PgTx;

/// Deletes deliveries of deleted webhooks and of old events. Event ids begin with their time.
const PURGE: &str = "few AS MATERIALIZED (
        SELECT d.organization_id, d.webhook_id, d.event_id FROM queued q CROSS JOIN LATERAL (
            SELECT organization_id, webhook_id, event_id FROM webhook_deliveries
            WHERE organization_id = q.organization_id AND webhook_id = q.webhook_id AND event_id < coalesce(
                (SELECT $2 FROM webhooks w WHERE w.organization_id = q.organization_id AND w.webhook_id = q.webhook_id),
                'ffffffff-ffff-ffff-ffff-ffffffffffff')
            LIMIT $1) d
        LIMIT $1
    )
    DELETE FROM webhook_deliveries d USING few f
    WHERE d.organization_id = f.organization_id AND d.webhook_id = f.webhook_id AND d.event_id = f.event_id";

#[async_trait]
impl DeliveryWrites for PgTx {
    async fn log(&mut self, attempts: &[WebhookAttempt]) -> Result<(), StoreError> {
        update_claimed::log(self.connection().await?, attempts).await
    }

    async fn settle(&mut self, settlements: &[Settlement]) -> Result<(), StoreError> {
        update_claimed::update(self.connection().await?, settlements).await
    }

    async fn lock_runs(
        &mut self,
        webhooks: &[(OrganizationId, WebhookId, bool)],
    ) -> Result<Vec<FailureRun>, StoreError> {
        failure_state::lock(self.connection().await?, webhooks).await
    }

    async fn update_runs(&mut self, runs: &[FailureRun], at: OffsetDateTime) -> Result<(), StoreError> {
        failure_state::update(self.connection().await?, runs, at).await
    }

    async fn purge(&mut self, forgotten: EventId, limit: u32) -> Result<u64, StoreError> {
        let deleted = Sql::new(format!("WITH RECURSIVE {QUEUED}, {PURGE}"))
            .big(limit.into())
            .uuid(forgotten.0)
            .run(self.connection().await?)
            .await?;
        Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
    }
}
