//! Release of a held message.

use super::problem_of_text;
use crate::app::contention::{is_contention, retried};
use crate::app::label_history::{Relabelled, record};
use crate::app::messages::lock_threads;
use crate::app::{App, inboxes, scope, standing, threads};
use crate::error::QuarantineRefusal;
use crate::model::permissions::AgentArmorRelease;
use crate::model::{
    ARMOR_HELD, Event, EventBody, EventId, EventType, HELD, HidingLabels, Inbox, InboxId, MessageId, MessageItem,
    MessageRelease, Permission,
};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{access, security};
use crate::{Error, FieldError, Resource};

/// Releases a held message: it loses its labels, and the event of its receipt is sent, each exactly once.
///
/// A repeat with the same reason by the same author returns the first release. A message that another label hides
/// causes no event.
///
/// # Errors
/// [`Error::Invalid`], [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`],
/// [`QuarantineRefusal::NotHeld`], [`QuarantineRefusal::Released`].
pub async fn release(
    app: &App,
    caller: &AuthorizedCaller<AgentArmorRelease>,
    inbox_id: &InboxId,
    message_id: &MessageId,
    reason: &str,
) -> Result<MessageRelease, Error> {
    Error::unless_empty(problems_of_release(reason))?;
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    retried(is_contention, || release_once(app, caller, &inbox, message_id, reason)).await
}

/// Validates the reason of a release.
#[must_use]
pub fn problems_of_release(reason: &str) -> Vec<FieldError> {
    problem_of_text("reason", Some(reason)).into_iter().collect()
}

async fn release_once(
    app: &App,
    caller: &AuthorizedCaller<AgentArmorRelease>,
    inbox: &Inbox,
    message_id: &MessageId,
    reason: &str,
) -> Result<MessageRelease, Error> {
    let Inbox { organization_id, inbox_id, .. } = inbox;
    let not_found = || Error::not_found(Resource::Message, message_id);
    let ids = std::slice::from_ref(message_id);
    let mut tx = app.store.begin().await?;
    let caller = &standing::renewed(app, tx.as_mut(), caller).await?;
    access::require(caller, Permission::MessageRead)?;
    inboxes::hold(tx.as_mut(), inbox).await?;
    let found = tx.messages().items(*organization_id, inbox_id, ids).await?;
    let thread = lock_threads(tx.as_mut(), *organization_id, inbox_id, &found).await?.pop().ok_or_else(not_found)?;
    // Read again under the lock: the message may have been released or deleted before.
    let message = tx.messages().items(*organization_id, inbox_id, ids).await?.pop().ok_or_else(not_found)?;
    if !HidingLabels::of(&message.labels).shown_to(access::readable(caller)) {
        return Err(not_found());
    }
    if !security::is_held(&message) {
        return earlier(message, caller, reason);
    }
    let now = app.clock.now();
    // Ids decide the order of the feed: the receipt comes before its override.
    let mut event_ids: [EventId; 2] = [app.mint(now), app.mint(now)];
    event_ids.sort_unstable();
    let [received_id, override_id] = event_ids;
    let release =
        MessageRelease { override_id, actor: caller.actor.clone(), reason: reason.to_owned(), released_at: now };
    let mut labels = message.labels.clone();
    labels.remove(HELD);
    labels.remove(ARMOR_HELD);
    let released = MessageItem { labels, release: Some(release.clone()), updated_at: now, ..message.clone() };
    tx.messages().store_release(&released).await?;
    tx.messages().update_labels(std::slice::from_ref(&released)).await?;
    if let Some(thread) = threads::summed_up(tx.as_mut(), thread, now).await? {
        tx.threads().update(&[thread]).await?;
    }
    let relabelled = [Relabelled::of(&message, &released)];
    record(app, tx.as_mut(), inbox, &caller.actor, &relabelled, now).await?;
    if HidingLabels::of(&released.labels) == HidingLabels::NONE {
        let event = |event_id: EventId, event_type, body| Event {
            event_id,
            event_type,
            organization_id: *organization_id,
            pod_id: Some(inbox.pod_id),
            inbox_id: Some(inbox_id.clone()),
            thread_id: Some(released.thread_id),
            message_id: Some(message_id.clone()),
            body,
            created_at: now,
            traceparent: caller.traceparent,
        };
        let verdict = released.trust.as_ref().map(|judgement| judgement.verdict);
        let body = EventBody::Override { release: release.clone() };
        let events = [
            event(received_id, EventType::MessageReceived, EventBody::Received { verdict }),
            event(override_id, EventType::MessageSecurityOverride, body),
        ];
        tx.events().append(&events).await?;
    }
    tx.commit().await?;
    Ok(release)
}

/// Returns the release of a message that is not held, for a repeat of the same request.
fn earlier(
    message: MessageItem,
    caller: &AuthorizedCaller<AgentArmorRelease>,
    reason: &str,
) -> Result<MessageRelease, Error> {
    match message.release {
        Some(release) if release.reason == reason && release.actor.id() == caller.actor.id() => Ok(release),
        Some(_) => Err(QuarantineRefusal::Released(message.message_id).into()),
        None => Err(QuarantineRefusal::NotHeld(message.message_id).into()),
    }
}
