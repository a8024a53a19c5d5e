//! Update of a webhook: its subscription and whether it is enabled. The URL is immutable.

use super::find::find;
use super::selection::{Named, add};
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::model::permissions::WebhookUpdate;
use crate::model::{AuditAction, InboxId, Webhook, WebhookId, WebhookTargets};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::webhooks::subscription::{self, MAX_NAMED};
use crate::{Error, FieldError, Resource};

/// Changes to a webhook; absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookChange {
    /// Names of the event types to send from now on. An empty list means the default set.
    pub event_types: Option<Vec<String>>,
    /// Whether events are sent. Events that occur while the webhook is disabled are not sent later.
    pub enabled: Option<bool>,
    /// Pods to add. They have no effect on a webhook that receives the events of its whole scope.
    pub add_pod_ids: Vec<String>,
    /// Pods to remove. When the last one is removed, the webhook receives no events, instead of all.
    pub remove_pod_ids: Vec<String>,
    /// Inboxes to add.
    pub add_inbox_ids: Vec<InboxId>,
    /// Inboxes to remove.
    pub remove_inbox_ids: Vec<InboxId>,
}

impl WebhookChange {
    fn added(&self) -> Named<'_> {
        Named {
            pods_field: "add_pod_ids",
            pod_ids: &self.add_pod_ids,
            inboxes_field: "add_inbox_ids",
            inbox_ids: &self.add_inbox_ids,
        }
    }

    fn removed(&self) -> Named<'_> {
        Named {
            pods_field: "remove_pod_ids",
            pod_ids: &self.remove_pod_ids,
            inboxes_field: "remove_inbox_ids",
            inbox_ids: &self.remove_inbox_ids,
        }
    }
}

/// Applies changes to a webhook.
///
/// # Errors
/// [`Error::Invalid`], [`Error::PodOutOfScope`], [`Error::UnknownEventType`],
/// [`Error::NotFound`].
pub async fn update(
    app: &App,
    caller: &AuthorizedCaller<WebhookUpdate>,
    webhook_id: WebhookId,
    change: WebhookChange,
) -> Result<Webhook, Error> {
    if let Some(names) = &change.event_types {
        subscription::require_visible_names(caller, names)?;
    }
    Error::unless_empty(problems_of_change(&change))?;
    let event_types = change.event_types.as_deref().map(subscription::event_types).transpose()?;
    let found = find(app, caller, webhook_id).await?;
    let mut tx = app.store.begin().await?;
    change.added().hold(tx.as_mut(), caller.original(), &found.place).await?;
    let locked = tx.webhooks().lock(found.organization_id, webhook_id).await?;
    let (before, sealed) = locked.ok_or_else(|| Error::not_found(Resource::Webhook, webhook_id))?;
    let selection = selected(before.selection.clone(), &change)?;
    let mut after = Webhook {
        event_types: event_types.unwrap_or_else(|| before.event_types.clone()),
        selection,
        enabled: change.enabled.unwrap_or(before.enabled),
        updated_at: app.clock.now(),
        ..before.clone()
    };
    if change.enabled == Some(true) {
        after.failing_since = None;
        after.last_failed_at = None;
    }
    if hears_more(&before, &after) {
        subscription::require_visible(caller, after.event_types.iter().copied())?;
    }
    tx.webhooks().update(&after, &sealed).await?;
    let change = AuditChange::updated(AuditAction::WebhookUpdated, &before, &after);
    audit::record(app, tx.as_mut(), caller, change).await?;
    tx.commit().await?;
    Ok(after)
}

/// Returns whether a change lets a webhook receive existing event types from more pods or inboxes, or again after being
/// disabled. The caller then needs the permission for all these types, even if another caller selected them.
fn hears_more(before: &Webhook, after: &Webhook) -> bool {
    let is_enabled_again = after.enabled && !before.enabled;
    let Some((before, after)) = before.selection.as_ref().zip(after.selection.as_ref()) else {
        return is_enabled_again;
    };
    is_enabled_again
        || after.pod_ids.iter().any(|pod_id| !before.pod_ids.contains(pod_id))
        || after.inbox_ids.iter().any(|inbox_id| !before.inbox_ids.contains(inbox_id))
}

/// Returns the pods and inboxes after the change; `None`, the whole scope, never changes.
fn selected(before: Option<WebhookTargets>, change: &WebhookChange) -> Result<Option<WebhookTargets>, Error> {
    let Some(mut selection) = before else { return Ok(None) };
    let (added, removed) = (change.added().selection(), change.removed().selection());
    selection.pod_ids.retain(|pod_id| !removed.pod_ids.contains(pod_id));
    selection.inbox_ids.retain(|inbox_id| !removed.inbox_ids.contains(inbox_id));
    add(&mut selection.pod_ids, added.pod_ids);
    add(&mut selection.inbox_ids, added.inbox_ids);
    let counts = [("add_pod_ids", selection.pod_ids.len()), ("add_inbox_ids", selection.inbox_ids.len())];
    let too_many = counts.into_iter().filter(|(_, count)| *count > MAX_NAMED).map(|(field, count)| {
        FieldError::new(field, format!("makes {count}; a webhook names at most {MAX_NAMED}, remove others first"))
    });
    Error::unless_empty(too_many.collect())?;
    Ok(Some(selection))
}

/// Returns all violations of a change that are visible without the database.
#[must_use]
pub fn problems_of_change(change: &WebhookChange) -> Vec<FieldError> {
    let (added, removed) = (change.added(), change.removed());
    let (add, remove) = (added.selection(), removed.selection());
    let of = |field: &'static str, texts: Vec<String>| {
        let message = |text| format!("{text} is to be added as well");
        texts.into_iter().take(1).map(move |text| FieldError::new(field, message(text)))
    };
    let pods = remove.pod_ids.iter().filter(|pod_id| add.pod_ids.contains(pod_id)).map(ToString::to_string).collect();
    let inboxes = remove.inbox_ids.iter().filter(|id| add.inbox_ids.contains(id)).map(ToString::to_string).collect();
    let contradictions = of(removed.pods_field, pods).chain(of(removed.inboxes_field, inboxes));
    added.problems().into_iter().chain(removed.problems()).chain(contradictions).collect()
}
