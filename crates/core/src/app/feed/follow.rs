//! Following the feed as it grows: what a caller subscribes to, and who they still are.

use super::shown::among;
use crate::Error;
use crate::app::events::types_of;
use crate::app::{App, inboxes, pods, standing_of};
use crate::model::feed::{Among, Selection};
use crate::model::{Caller, Event, EventType, InboxId, Permission, PodId};
use crate::rules::access;

/// What a caller wants to be told of. Events of any of the inboxes and pods are; without one, all that they reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subscription {
    /// Names of kinds; without one, all but those about mail with a hiding label.
    pub event_types: Vec<String>,
    /// Inboxes.
    pub inbox_ids: Vec<InboxId>,
    /// Pods.
    pub pod_ids: Vec<PodId>,
}

/// What was subscribed to, in full.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// The kinds.
    pub event_types: Vec<EventType>,
    /// The inboxes and pods; `None` for all that the caller reaches.
    pub among: Option<Among>,
}

impl Watched {
    /// Whether an event is among what was subscribed to.
    #[must_use]
    pub fn holds(&self, event: &Event) -> bool {
        self.event_types.contains(&event.event_type) && self.among.as_ref().is_none_or(|among| among.holds(event))
    }

    /// What a caller sees of it.
    #[must_use]
    pub fn selection(&self, caller: &Caller) -> Selection {
        let among = self.among.iter().cloned().chain(among(&caller.reach)).collect();
        Selection { event_types: self.event_types.clone(), among, ..Selection::default() }
    }
}

/// Checks what a caller subscribes to. Who wants to be told of mail with a hiding label has to name it, and has to hold the
/// permission to read it.
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

/// Checks what a caller wants to be told of; of every kind, where they name none, as lists do.
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
    let among = Among { pod_ids: asked.pod_ids.clone(), inbox_ids: asked.inbox_ids.clone() };
    Ok(Watched { event_types, among: is_narrow.then_some(among) })
}

/// Who the holders of these keys are now, in the order of the hashes: the refusal where one may read events no longer.
///
/// # Errors
/// [`Error::Store`].
pub async fn standings(app: &App, hashes: &[[u8; 32]]) -> Result<Vec<Result<Caller, Error>>, Error> {
    let found = app.store.credentials(hashes).await?;
    let standing = |hash: &[u8; 32]| {
        let credential = found.iter().find(|(known, _)| known == hash).map(|(_, credential)| credential.clone());
        let caller = standing_of(credential, app.clock.now())?;
        access::require(&caller, Permission::EventRead)?;
        Ok(caller)
    };
    Ok(hashes.iter().map(standing).collect())
}
