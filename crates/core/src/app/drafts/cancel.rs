//! Cancellation of a send that has not left.

use super::update::refuse_claimed;
use crate::app::contention::{is_contention, retried};
use crate::app::{App, scope};
use crate::model::permissions::MessageSend;
use crate::model::{Draft, DraftItem, InboxId, MessageId, UsageChange};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{access, approval};
use crate::{Error, Resource};

/// Cancels a delayed send. Its draft stays, without a schedule. A repeat returns the same draft.
///
/// # Errors
/// [`Error::DraftSending`] while the message leaves; [`Error::MessageLeft`] afterwards; [`Error::NotFound`].
pub async fn cancel(
    app: &App,
    caller: &AuthorizedCaller<MessageSend>,
    inbox_id: &InboxId,
    message_id: &MessageId,
) -> Result<Draft, Error> {
    scope::find_inbox(app, caller, inbox_id).await?;
    if let Some(draft) = retried(is_contention, || cancel_once(app, caller, inbox_id, message_id)).await? {
        return Ok(draft);
    }
    let ids = std::slice::from_ref(message_id);
    let readable = access::readable(caller);
    let found = app.store.messages(caller.organization.organization_id, inbox_id, ids, readable).await?;
    let has_left = found.first().is_some_and(|message| message.item.labels.contains("sent"));
    Err(if has_left { Error::MessageLeft(message_id.clone()) } else { Error::not_found(Resource::Message, message_id) })
}

async fn cancel_once(
    app: &App,
    caller: &AuthorizedCaller<MessageSend>,
    inbox_id: &InboxId,
    message_id: &MessageId,
) -> Result<Option<Draft>, Error> {
    let mut tx = app.store.begin().await?;
    let organization_id = caller.organization.organization_id;
    let Some(mut draft) = tx.drafts().lock_delayed(organization_id, inbox_id, message_id).await? else {
        return Ok(None);
    };
    refuse_claimed(app, &draft)?;
    if draft.item.dispatch.send_at.is_none() && !draft.item.awaits_approval() {
        return Ok(Some(draft));
    }
    let before = draft.size();
    let unscheduled = DraftItem { approval: None, ..draft.item }.scheduled(None);
    draft.item = DraftItem {
        dispatch: unscheduled.dispatch.written(),
        agent: approval::kept_agent(&unscheduled, &caller.actor, false),
        updated_by: caller.actor.clone(),
        updated_at: app.clock.now(),
        ..unscheduled
    };
    tx.drafts().update(&draft, &[]).await?;
    let change = UsageChange::resized(before, draft.size());
    if change != UsageChange::default() {
        tx.usage().change(&[(organization_id, inbox_id.clone(), change)]).await?;
    }
    tx.commit().await?;
    Ok(Some(draft))
}
