//! Webhook subscriptions (`service.md`, section 6; `wire.md`, section 6).

use super::super::{access, trust};
use crate::Error;
use crate::model::{Caller, EventType, InboxId, Permission, PodId, Reach, Webhook, WebhookTargets};
use crate::rules::trust::Verdict;

/// Maximum pods, and maximum inboxes, that a webhook names.
pub const MAX_NAMED: usize = 10;

/// Returns the permission that a subscription to an event type about hidden messages needs.
#[must_use]
pub fn required_permission(event_type: EventType) -> Option<Permission> {
    match event_type {
        EventType::MessageReceivedSpam => Some(Permission::LabelSpamRead),
        EventType::MessageReceivedBlocked => Some(Permission::LabelBlockedRead),
        EventType::MessageReceivedUnauthenticated => Some(Permission::LabelUnauthenticatedRead),
        _ => None,
    }
}

/// Returns the default event types: all except those about hidden messages.
#[must_use]
pub fn default_types() -> Vec<EventType> {
    EventType::ALL.iter().copied().filter(|kind| required_permission(*kind).is_none()).collect()
}

/// Parses event types, each once; without names it returns the default types.
///
/// # Errors
/// [`Error::UnknownEventType`].
pub fn event_types(names: &[String]) -> Result<Vec<EventType>, Error> {
    let mut kinds = Vec::new();
    for name in names {
        let kind = EventType::named(name).ok_or_else(|| Error::UnknownEventType(excerpt(name)))?;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Ok(if kinds.is_empty() { default_types() } else { kinds })
}

/// Refuses a caller that may not see the messages of one of these event types: a webhook sends them whole.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::RoleNotAllowed`].
pub fn require_visible(caller: &Caller, event_types: impl IntoIterator<Item = EventType>) -> Result<(), Error> {
    let mut tells_of_mail = false;
    for event_type in event_types {
        required_permission(event_type).map_or(Ok(()), |permission| access::require(caller, permission))?;
        tells_of_mail |= event_type == EventType::MessageReceived
            || event_type.is_of_calendar()
            || required_permission(event_type).is_some();
    }
    if tells_of_mail { access::require(caller, Permission::MessageRead) } else { Ok(()) }
}

/// Does the same as [`require_visible`] for unparsed names, and for the default types without names. Unknown names pass
/// here; [`event_types`] refuses them.
///
/// # Errors
/// As [`require_visible`].
pub fn require_visible_names(caller: &Caller, names: &[String]) -> Result<(), Error> {
    if names.is_empty() {
        return require_visible(caller, default_types());
    }
    require_visible(caller, names.iter().filter_map(|name| EventType::named(name)))
}

/// Returns whether an event of its organization matches a webhook, enabled or not.
#[must_use]
pub fn matches(
    webhook: &Webhook,
    (event_type, verdict): (EventType, Option<Verdict>),
    pod_id: Option<PodId>,
    inbox_id: Option<&InboxId>,
) -> bool {
    webhook.event_types.contains(&event_type)
        && trust::passes(&webhook.trust, event_type, verdict)
        && lies_within(&webhook.place, pod_id, inbox_id)
        && webhook.selection.as_ref().is_none_or(|selection| names(selection, pod_id, inbox_id))
}

/// Returns whether a pod and an inbox lie within a reach.
#[must_use]
pub fn lies_within(place: &Reach, pod_id: Option<PodId>, inbox_id: Option<&InboxId>) -> bool {
    match place {
        Reach::Organization => true,
        Reach::Pod(own) => pod_id == Some(*own),
        Reach::Inbox { inbox_id: own, .. } => inbox_id == Some(own),
        Reach::Inboxes(theirs) => inbox_id.is_some_and(|inbox_id| theirs.contains(inbox_id)),
    }
}

fn names(selection: &WebhookTargets, pod_id: Option<PodId>, inbox_id: Option<&InboxId>) -> bool {
    pod_id.is_some_and(|pod_id| selection.pod_ids.contains(&pod_id))
        || inbox_id.is_some_and(|inbox_id| selection.inbox_ids.contains(inbox_id))
}

/// Returns a safe excerpt of an arbitrary name.
fn excerpt(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}
