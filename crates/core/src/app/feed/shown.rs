//! What of an event a caller is shown, as they are at this moment.

use crate::model::feed::Among;
use crate::model::{Caller, Event, Hidden, Permission, Reach, Thread};
use crate::ports::WholeEvent;
use crate::rules::access;

/// How much of an event a caller is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// They do not reach it.
    Nothing,
    /// What happened, and to which message.
    WithoutMail,
    /// With the mail that it is about, of whose thread they see a part.
    PartOfThread,
    /// With the mail that it is about, and its thread.
    Whole,
}

/// How much of an event a caller is shown whose mail carries these hiding labels, and whose thread has mail with these
/// combinations of them ([`Hidden::as_set`]).
#[must_use]
pub fn share(caller: &Caller, event: &Event, hidden: Hidden, thread_sets: i32) -> Share {
    if among(&caller.reach).is_some_and(|among| !among.holds(event)) {
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

/// What a caller reaches; `None` for everything.
pub(super) fn among(reach: &Reach) -> Option<Among> {
    match reach {
        Reach::Organization => None,
        Reach::Pod(pod_id) => Some(Among { pod_ids: vec![*pod_id], inbox_ids: Vec::new() }),
        Reach::Inbox { inbox_id, .. } => Some(Among { pod_ids: Vec::new(), inbox_ids: vec![inbox_id.clone()] }),
        Reach::Inboxes(theirs) => Some(Among { pod_ids: Vec::new(), inbox_ids: theirs.iter().cloned().collect() }),
    }
}
