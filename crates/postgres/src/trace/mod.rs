//! Sources of traces.

mod deliveries;
mod events;
mod labels;
mod reads;
mod refusals;
mod walk;

use async_trait::async_trait;
use inboxd_core::model::{EventId, TraceSegment, WebhookAttempt};
use inboxd_core::ports::{StoreError, TraceQuery, TraceReads, WebhookScope};
use time::OffsetDateTime;

use crate::store::PgStore;
use crate::webhooks::attempts;

#[async_trait]
impl TraceReads for PgStore {
    async fn trace_events(&self, query: &TraceQuery) -> Result<TraceSegment, StoreError> {
        events::read(&mut *self.connection().await?, query).await
    }

    async fn trace_labels(&self, query: &TraceQuery) -> Result<TraceSegment, StoreError> {
        labels::read(&mut *self.connection().await?, query).await
    }

    async fn trace_deliveries(&self, query: &TraceQuery) -> Result<TraceSegment, StoreError> {
        deliveries::read(&mut *self.connection().await?, query).await
    }

    async fn trace_refusals(&self, query: &TraceQuery) -> Result<TraceSegment, StoreError> {
        refusals::read(&mut *self.connection().await?, query).await
    }

    async fn trace_reads(&self, query: &TraceQuery) -> Result<TraceSegment, StoreError> {
        reads::read(&mut *self.connection().await?, query).await
    }

    async fn webhook_attempts_of(
        &self,
        scope: &WebhookScope,
        events: &[EventId],
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<WebhookAttempt>, StoreError> {
        attempts::of_events(&mut *self.connection().await?, scope, events, since, limit).await
    }
}
