//! Feed subscriptions and their validation.

use super::shown::among;
use crate::Error;
use crate::app::events::types_of;
use crate::app::{App, inboxes, pods};
use crate::model::feed::{FeedSelection, ScopeFilter};
use crate::model::{Caller, Event, EventType, InboxId, Permission, PodId};
use crate::rules::access;
use crate::rules::trust::{self, Verdict};

/// Filter of a subscription. Events of any listed inbox or pod match; without either, all events within the caller's
/// reach match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subscription {
    /// Names of event types. An empty list means all types except those about mail with a hiding label.
    pub event_types: Vec<String>,
    /// Verdicts of which received mail must have one; empty for all.
    pub trust: Vec<Verdict>,
    /// Inboxes to include.
    pub inbox_ids: Vec<InboxId>,
    /// Pods to include.
    pub pod_ids: Vec<PodId>,
}

/// Validated subscription.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// Event types to include.
    pub event_types: Vec<EventType>,
    /// Verdicts of which received mail must have one; empty for all.
    pub trust: Vec<Verdict>,
    /// Inboxes and pods to include; `None` for everything that the caller reaches.
    pub among: Option<ScopeFilter>,
}

impl Watched {
    /// Returns whether an event belongs to the subscription.
    #[must_use]
    pub fn holds(&self, event: &Event) -> bool {
        self.event_types.contains(&event.event_type)
            && trust::passes(&self.trust, event.event_type, event.verdict())
            && self.among.as_ref().is_none_or(|among| among.holds(event))
    }

    /// Returns the part of the subscription that is within the caller's reach.
    #[must_use]
    pub fn selection(&self, caller: &Caller) -> FeedSelection {
        let among = self.among.iter().cloned().chain(among(&caller.reach)).collect();
        FeedSelection {
            event_types: self.event_types.clone(),
            trust: self.trust.clone(),
            among,
            ..FeedSelection::default()
        }
    }
}

/// Validates a subscription. Event types about mail with a hiding label must be listed by name, and the caller needs
/// the permission to read that mail.
///
/// # Errors
/// As [`watch_all`].
pub async fn watch(app: &App, caller: &Caller, asked: &Subscription) -> Result<Watched, Error> {
    let mut watched = watch_all(app, caller, asked).await?;
    if asked.event_types.is_empty() {
        watched.event_types.retain(|kind| kind.hiding_label().is_none());
    }
    for kind in &watched.event_types {
        access::require_kind(caller, *kind)?;
    }
    Ok(watched)
}

/// Validates a subscription. An empty list of types means every type, as in lists of events.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::InboxOutOfScope`], [`Error::PodOutOfScope`], [`Error::UnknownEventType`],
/// [`Error::NotFound`] for an inbox or a pod.
pub async fn watch_all(app: &App, caller: &Caller, asked: &Subscription) -> Result<Watched, Error> {
    for inbox_id in &asked.inbox_ids {
        access::require_inbox(caller, inbox_id)?;
    }
    for pod_id in &asked.pod_ids {
        access::require_whole_pod(caller, *pod_id)?;
    }
    access::require(caller, Permission::EventRead)?;
    let mut event_types = types_of(&asked.event_types)?;
    if event_types.is_empty() {
        event_types = EventType::ALL.to_vec();
    }
    for inbox_id in &asked.inbox_ids {
        inboxes::find(app, caller, inbox_id).await?;
    }
    for pod_id in &asked.pod_ids {
        pods::find(app, caller, *pod_id).await?;
    }
    let is_narrow = !(asked.inbox_ids.is_empty() && asked.pod_ids.is_empty());
    let among = ScopeFilter { pod_ids: asked.pod_ids.clone(), inbox_ids: asked.inbox_ids.clone() };
    Ok(Watched { event_types, trust: asked.trust.clone(), among: is_narrow.then_some(among) })
}
