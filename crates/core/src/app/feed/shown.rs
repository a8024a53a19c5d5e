//! What of an event a caller is shown, as they are at this moment.

use crate::model::event::EventRecord;
use crate::model::feed::Among;
use crate::model::{Caller, Event, Hidden, Permission, Reach};
use crate::rules::access;

/// Whether a caller reaches an event.
#[must_use]
pub fn is_shown(caller: &Caller, event: &Event) -> bool {
    among(&caller.reach).is_none_or(|among| among.holds(event))
}

/// An event with as much of its mail as the caller may read.
#[must_use]
pub fn shown(caller: &Caller, record: &EventRecord) -> EventRecord {
    let is_readable =
        record.mail.as_ref().is_some_and(|(message, _)| reads_mail(caller, Hidden::of(&message.item.labels)));
    EventRecord { event: record.event.clone(), mail: record.mail.clone().filter(|_| is_readable) }
}

/// Whether a caller may read mail with these hiding labels.
#[must_use]
pub fn reads_mail(caller: &Caller, hidden: Hidden) -> bool {
    access::holds(caller, Permission::MessageRead) && hidden.shown_to(access::readable(caller))
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
