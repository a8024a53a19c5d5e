//! What of an event a caller is shown, as they are at this moment.

use crate::model::feed::Among;
use crate::model::{Caller, Event, Hidden, Permission, Reach};
use crate::rules::access;

/// How much of an event a caller is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// They do not reach it.
    Nothing,
    /// What happened, and to which message.
    WithoutMail,
    /// With the mail that it is about.
    Whole,
}

/// How much of an event a caller is shown whose mail carries these hiding labels.
#[must_use]
pub fn share(caller: &Caller, event: &Event, hidden: Hidden) -> Share {
    if among(&caller.reach).is_some_and(|among| !among.holds(event)) {
        return Share::Nothing;
    }
    if access::holds(caller, Permission::MessageRead) && hidden.shown_to(access::readable(caller)) {
        Share::Whole
    } else {
        Share::WithoutMail
    }
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
