//! Event `message.rejected`: a message refused for its recipients or after its acceptance.

use super::App;
use crate::model::{
    Caller, Event, EventBody, EventId, EventType, Inbox, InboxId, MailCharge, MessageId, OrganizationId, PodId,
};
use crate::{Error, PolicyError};

/// Builds the event. The message is not stored: the message and thread ids of the event name no row.
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
        traceparent: None,
    }
}

/// Appends an event where a message was refused for a recipient, and returns the outcome. The number of such events per
/// inbox is limited, because a client can repeat a refused request without end.
pub(super) async fn recorded<T>(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    outcome: Result<T, Error>,
) -> Result<T, Error> {
    if let Err(refusal) = &outcome
        && is_for_a_recipient(refusal)
    {
        let mut event = event(app, inbox.organization_id, inbox.pod_id, &inbox.inbox_id, refusal.to_string());
        event.traceparent = caller.traceparent;
        let mut tx = app.store.begin().await?;
        let charge = MailCharge::of_rejection(&inbox.inbox_id);
        if tx.mail_quotas().charge(&charge, event.created_at).await?.is_none() {
            tx.events().append(&[event]).await?;
            tx.commit().await?;
        }
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
            | Error::Policy(PolicyError::Refused(_) | PolicyError::AuthorRevoked(_))
    )
}
