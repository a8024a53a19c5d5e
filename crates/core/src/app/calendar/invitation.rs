//! Mails of the organizer about an event (RFC 5546, sections 3.2.2 and 3.2.5).

use inboxd_mail::{CalendarMethod, CalendarPart, EntryStatus, Mailbox, write_calendar};

use crate::app::letter::Letter;
use crate::model::{CalendarEvent, Inbox};
use crate::rules::calendar::is_inbox;
use crate::rules::recipients::MAX_RECIPIENTS;
use crate::{CalendarRefusal, Error, FieldError};

/// Maximum length of a title in the subject in characters.
const MAX_TITLE_CHARS: usize = 200;

/// Occasion of a mail to the attendees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    /// The event is new.
    Created,
    /// It was changed.
    Changed,
    /// It was deleted.
    Deleted,
    /// Its attendees were removed from it, while it takes place.
    Removed,
}

/// Returns the mail to the attendees that a change removed (RFC 5546, section 3.2.5); `None` without any.
///
/// # Errors
/// As [`letter`].
pub(super) fn farewell(inbox: &Inbox, before: &CalendarEvent, after: &CalendarEvent) -> Result<Option<Letter>, Error> {
    let stays = |email: &str| after.entry.attendees.iter().any(|one| one.person.email == email);
    let mut removed = after.clone();
    removed.entry.attendees.clone_from(&before.entry.attendees);
    removed.entry.attendees.retain(|one| !stays(&one.person.email));
    removed.entry.attendee_count = removed.entry.attendees.len();
    letter(inbox, &removed, Occasion::Removed)
}

/// Returns the mail to the attendees other than the inbox; `None` without any.
///
/// # Errors
/// [`CalendarRefusal::NotOrganizer`], [`Error::Invalid`] for more attendees than a message has recipients.
pub(super) fn letter(inbox: &Inbox, event: &CalendarEvent, occasion: Occasion) -> Result<Option<Letter>, Error> {
    if !event.is_own() {
        return Err(CalendarRefusal::NotOrganizer { organizer: event.authority.organizer.clone() }.into());
    }
    let others = event.entry.attendees.iter().map(|attendee| &attendee.person);
    let others = others.filter(|person| !is_inbox(person, &inbox.inbox_id));
    let to: Vec<Mailbox> = others
        .filter_map(|person| Some(Mailbox { name: person.name.clone(), address: person.email.parse().ok()? }))
        .collect();
    if to.is_empty() {
        return Ok(None);
    }
    if to.len() > MAX_RECIPIENTS {
        let message = format!("with send_invites an event has at most {MAX_RECIPIENTS} attendees");
        return Err(Error::Invalid(vec![FieldError::new("attendees", message)]));
    }
    let is_cancelled =
        matches!(occasion, Occasion::Deleted | Occasion::Removed) || event.entry.status == EntryStatus::Cancelled;
    let (method, word) = match occasion {
        _ if is_cancelled => (CalendarMethod::Cancel, "Cancelled"),
        Occasion::Created => (CalendarMethod::Request, "Invitation"),
        _ => (CalendarMethod::Request, "Updated"),
    };
    let title: String = event.entry.title.as_deref().unwrap_or_default().chars().take(MAX_TITLE_CHARS).collect();
    let content = write_calendar(method, &event.entry);
    Ok(Some(Letter {
        to,
        subject: Some(format!("{word}: {title}")),
        text: Some(text(event)),
        calendar: Some(CalendarPart { method, content }),
        ..Letter::default()
    }))
}

/// Describes the event for readers without a calendar.
fn text(event: &CalendarEvent) -> String {
    let (entry, times) = (&event.entry, &event.times);
    let clock = |local: &str| local.replace('T', " ");
    let when = if times.start == times.end {
        clock(&times.start)
    } else {
        format!("{} to {}", clock(&times.start), clock(&times.end))
    };
    let zone = times.timezone.as_deref().filter(|_| !times.all_day).map(|zone| format!(" ({zone})"));
    let mut lines = vec![
        entry.title.clone().unwrap_or_default(),
        String::new(),
        format!("When: {when}{}", zone.unwrap_or_default()),
    ];
    lines.extend(entry.recurrence.as_ref().map(|recurrence| format!("Repeats: {}", recurrence.rule)));
    lines.extend(entry.location.as_ref().map(|location| format!("Where: {location}")));
    lines.extend(entry.description.as_ref().map(|description| format!("\n{description}")));
    lines.join("\n")
}
