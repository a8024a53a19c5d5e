//! `message.rejected`: what is said of a mail that was refused for its recipients, or after its acceptance.

use super::App;
use crate::Error;
use crate::model::{Event, EventBody, EventId, EventType, Inbox, InboxId, MessageId, OrganizationId, PodId};

/// The event. Nothing of the mail is stored: it names a message and a thread that there will never be.
pub(super) fn event(
    app: &App,
    organization_id: OrganizationId,
    pod_id: PodId,
    inbox_id: &InboxId,
    reason: String,
) -> Event {
    let now = app.clock.now();
    Event {
        event_id: app.mint::<EventId>(now),
        event_type: EventType::MessageRejected,
        organization_id,
        pod_id: Some(pod_id),
        inbox_id: Some(inbox_id.clone()),
        thread_id: Some(app.mint(now)),
        message_id: Some(MessageId::minted(app.random.uuid_at(now), inbox_id.domain())),
        body: EventBody::Reject { reason },
        created_at: now,
    }
}

/// Hands on what became of a mail. That it was refused for a recipient is an event too.
pub(super) async fn recorded<T>(app: &App, inbox: &Inbox, outcome: Result<T, Error>) -> Result<T, Error> {
    if let Err(refusal) = &outcome
        && is_for_a_recipient(refusal)
    {
        let event = event(app, inbox.organization_id, inbox.pod_id, &inbox.inbox_id, refusal.to_string());
        let mut tx = app.store.begin().await?;
        tx.events().append(&[event]).await?;
        tx.commit().await?;
    }
    outcome
}

fn is_for_a_recipient(refusal: &Error) -> bool {
    matches!(
        refusal,
        Error::OrganizationUnverified { .. }
            | Error::RecipientSuppressed { .. }
            | Error::RecipientBlocked { .. }
            | Error::RecipientNotAllowed { .. }
    )
}
