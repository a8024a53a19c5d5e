//! Redaction of a message.

use serde_json::json;

use super::batch_update::lock_threads;
use super::get;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, inboxes, legal_holds, threads};
use crate::model::{
    AuditAction, AuditFacts, AuditedResource, Caller, Event, EventBody, EventType, HidingLabels, Inbox, InboxId,
    MessageId, MessageItem, Permission, UsageChange,
};
use crate::ports::{MessageKey, Tx};
use crate::rules::{access, redaction};
use crate::{Error, RedactionRefusal, Resource};

/// Removes the content of a message for good and returns what is left. Its events stay.
///
/// A repeat returns the same and changes nothing.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`], [`Error::LegalHold`],
/// [`RedactionRefusal::Queued`], [`RedactionRefusal::Delayed`], [`Error::RowLimitReached`].
pub async fn redact(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
) -> Result<MessageItem, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageDelete)?;
    let inbox = inboxes::find(app, caller, inbox_id).await?;
    let fields = match get::find(app, caller, inbox_id, message_id).await {
        Ok(message) => redaction::kept_fields(message.body.headers),
        Err(Error::NotFound { resource, id }) => {
            refuse_delayed(app, &inbox, message_id).await?;
            return Err(Error::NotFound { resource, id });
        }
        Err(error) => return Err(error),
    };
    retried(is_contention, || redact_once(app, caller, &inbox, message_id, &fields)).await
}

/// Refuses the id of a delayed send, which is a draft until it leaves.
async fn refuse_delayed(app: &App, inbox: &Inbox, message_id: &MessageId) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    let delayed = tx.drafts().lock_delayed(inbox.organization_id, &inbox.inbox_id, message_id).await?;
    match delayed {
        Some(_) => Err(RedactionRefusal::Delayed(message_id.clone()).into()),
        None => Ok(()),
    }
}

async fn redact_once(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    message_id: &MessageId,
    fields: &[(String, String)],
) -> Result<MessageItem, Error> {
    let Inbox { organization_id, inbox_id, .. } = inbox;
    let not_found = || Error::not_found(Resource::Message, message_id);
    let ids = std::slice::from_ref(message_id);
    let mut tx = app.store.begin().await?;
    inboxes::hold(tx.as_mut(), inbox).await?;
    legal_holds::require_deletable_inbox(tx.as_mut(), inbox).await?;
    let found = tx.messages().items(*organization_id, inbox_id, ids).await?;
    let thread = lock_threads(tx.as_mut(), *organization_id, inbox_id, &found).await?.pop().ok_or_else(not_found)?;
    // Read again under the lock: the message may have been relabelled, redacted or deleted before.
    let message = tx.messages().items(*organization_id, inbox_id, ids).await?.pop().ok_or_else(not_found)?;
    if !HidingLabels::of(&message.labels).shown_to(access::readable(caller)) {
        return Err(not_found());
    }
    if message.redacted_at.is_some() {
        return Ok(message);
    }
    let key =
        MessageKey { organization_id: *organization_id, inbox_id: inbox_id.clone(), message_id: message_id.clone() };
    if tx.outgoing().holds_message(&key).await? {
        return Err(RedactionRefusal::Queued(message_id.clone()).into());
    }
    let (size, now) = (message.size, app.clock.now());
    let redacted = redaction::redacted(message, now);
    tx.messages().redact(&redacted, fields).await?;
    if let Some(thread) = threads::summed_up(tx.as_mut(), thread, now).await? {
        tx.threads().update(&[thread]).await?;
    }
    let freed = UsageChange { storage_bytes: -i64::try_from(size).unwrap_or(i64::MAX), ..UsageChange::default() };
    tx.usage().change(&[(*organization_id, inbox_id.clone(), freed)]).await?;
    report(app, tx.as_mut(), caller, inbox, &redacted).await?;
    tx.commit().await?;
    Ok(redacted)
}

/// Appends the event and the audit entry.
async fn report(
    app: &App,
    tx: &mut dyn Tx,
    caller: &Caller,
    inbox: &Inbox,
    redacted: &MessageItem,
) -> Result<(), Error> {
    let now = redacted.updated_at;
    let event = Event {
        event_id: app.mint(now),
        event_type: EventType::MessageRedacted,
        organization_id: inbox.organization_id,
        pod_id: Some(inbox.pod_id),
        inbox_id: Some(inbox.inbox_id.clone()),
        thread_id: Some(redacted.thread_id),
        message_id: Some(redacted.message_id.clone()),
        body: EventBody::Redact { redacted_by: caller.actor.clone() },
        created_at: now,
        traceparent: caller.traceparent,
    };
    tx.events().append(&[event]).await?;
    let facts = [
        ("inbox_id".to_owned(), json!(inbox.inbox_id)),
        ("thread_id".to_owned(), json!(redacted.thread_id.to_string())),
    ];
    let change = AuditChange {
        action: AuditAction::MessageRedacted,
        resource_type: AuditedResource::Message,
        resource_id: redacted.message_id.to_string(),
        before: None,
        after: Some(AuditFacts::from_iter(facts)),
    };
    audit::record(app, tx, caller, change).await
}
