//! Visibility of events for a caller with its current reach and permissions.

use crate::model::feed::ScopeFilter;
use crate::model::{Caller, Event, HidingLabels, Permission, Reach, Thread};
use crate::ports::WholeEvent;
use crate::rules::access;

/// Part of an event that a caller may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Nothing: the event is outside the caller's reach, or of a calendar that the caller may not read.
    Nothing,
    /// The event with the id of its message, without the mail.
    WithoutMail,
    /// The event with its mail; the thread contains further mail that is hidden from the caller.
    PartOfThread,
    /// The event with its mail and the whole thread.
    Whole,
}

/// Returns the visibility of an event for a caller. `hidden` holds the hiding labels of the event's mail; `thread_sets`
/// holds the label combinations of all mail of its thread ([`HidingLabels::as_set`]).
#[must_use]
pub fn share(caller: &Caller, event: &Event, hidden: HidingLabels, thread_sets: i32) -> Share {
    let is_beyond = among(&caller.reach).is_some_and(|among| !among.holds(event));
    if is_beyond || !access::may_receive(caller, event.event_type) {
        return Share::Nothing;
    }
    let readable = access::readable(caller);
    if !access::holds(caller, Permission::MessageRead) || !hidden.shown_to(readable) {
        Share::WithoutMail
    } else if thread_sets & !readable.shown_set() != 0 {
        Share::PartOfThread
    } else {
        Share::Whole
    }
}

/// Returns the threads of events.
pub(in crate::app) fn threads_of<'a>(events: impl Iterator<Item = &'a mut WholeEvent>) -> Vec<&'a mut Thread> {
    events.filter_map(|event| event.record.mail.as_mut()).map(|(_, thread)| thread).collect()
}

/// Returns the filter of a reach; `None` for the whole organization.
pub(super) fn among(reach: &Reach) -> Option<ScopeFilter> {
    match reach {
        Reach::Organization => None,
        Reach::Pod(pod_id) => Some(ScopeFilter { pod_ids: vec![*pod_id], inbox_ids: Vec::new() }),
        Reach::Inbox { inbox_id, .. } => Some(ScopeFilter { pod_ids: Vec::new(), inbox_ids: vec![inbox_id.clone()] }),
        Reach::Inboxes(theirs) => {
            Some(ScopeFilter { pod_ids: Vec::new(), inbox_ids: theirs.iter().cloned().collect() })
        }
    }
}
