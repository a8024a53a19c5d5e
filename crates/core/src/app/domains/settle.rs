//! Storage of a changed domain.

use crate::app::App;
use crate::model::{Domain, Event, EventBody, EventId, EventType, TraceContext};
use crate::ports::{StoreError, Tx};

/// Stores a changed domain, and appends its event at the first verification. `traceparent` is that of the request, if the
/// request is of the owner.
pub(super) async fn settle(
    app: &App,
    tx: &mut dyn Tx,
    before: &Domain,
    after: &Domain,
    traceparent: Option<TraceContext>,
) -> Result<(), StoreError> {
    tx.domains().update(after).await?;
    if before.verified_at.is_some() || after.verified_at.is_none() {
        return Ok(());
    }
    let event = Event {
        event_id: app.mint::<EventId>(after.updated_at),
        event_type: EventType::DomainVerified,
        organization_id: after.organization_id,
        pod_id: after.pod_id,
        inbox_id: None,
        thread_id: None,
        message_id: None,
        body: EventBody::Domain { domain: Box::new(after.clone()) },
        created_at: after.updated_at,
        traceparent,
    };
    tx.events().append(&[event]).await
}
