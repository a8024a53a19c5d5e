//! Removal of messages and drafts queued before a restored backup, for operators.

use time::OffsetDateTime;

use super::App;
use super::contention::{is_contention, retried};
use super::drafts;
use crate::Error;
use crate::model::{DraftId, Event, EventBody, EventId, EventType, OrganizationId, QueuedMail};

/// Messages removed by one unit of work.
const BATCH: u32 = 200;

/// Reason in the event of a removed message.
const REASON: &str = "the operator restored a backup and dropped the mails that were queued in it; this one may have left \
    before the backup was needed, and is not sent again";

/// Removes a batch of queued mails accepted at or before a time, and returns their number. Zero means that none remain.
/// Each message stays in its inbox and gets an event `message.rejected`.
///
/// # Errors
/// [`Error::Store`].
pub async fn drop_queued_mail(app: &App, before: OffsetDateTime) -> Result<usize, Error> {
    retried(is_contention, || drop_some(app, before)).await
}

async fn drop_some(app: &App, before: OffsetDateTime) -> Result<usize, Error> {
    let mut tx = app.store.begin().await?;
    let taken = tx.outgoing().take_before(before, BATCH).await?;
    let events: Vec<Event> = taken.iter().filter_map(|mail| rejected(app, mail)).collect();
    if !events.is_empty() {
        tx.events().append(&events).await?;
    }
    tx.commit().await?;
    Ok(taken.len())
}

/// Marks a scheduled draft as failed and returns whether it was scheduled.
///
/// # Errors
/// [`Error::Store`].
pub async fn drop_scheduled_draft(
    app: &App,
    organization_id: OrganizationId,
    draft_id: DraftId,
) -> Result<bool, Error> {
    drafts::fail_scheduled(app, organization_id, draft_id, &format!("draft {draft_id}: {REASON}")).await
}

/// Builds the event of a message. Mail of the service itself has none.
fn rejected(app: &App, mail: &QueuedMail) -> Option<Event> {
    let message = mail.message.clone()?;
    let now = app.clock.now();
    Some(Event {
        event_id: app.mint::<EventId>(now),
        event_type: EventType::MessageRejected,
        organization_id: mail.organization_id,
        pod_id: Some(message.pod_id),
        inbox_id: Some(message.inbox_id),
        thread_id: Some(message.thread_id),
        message_id: Some(message.message_id),
        body: EventBody::Reject { reason: REASON.to_owned() },
        created_at: now,
        traceparent: mail.traceparent,
    })
}
