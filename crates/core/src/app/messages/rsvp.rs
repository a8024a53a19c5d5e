//! Answer to an invitation (RFC 5546, section 3.2.3).

use inboxd_mail::{
    AttendeeRole, AttendeeStatus, CalendarAttendee, CalendarEntry, CalendarMethod, CalendarPart, CalendarPerson,
    EmailAddress, Mailbox, write_calendar,
};
use time::OffsetDateTime;

use super::answer::place_of_reply;
use super::get;
use crate::app::calendar::{MAX_COMMENT_BYTES, answered};
use crate::app::letter::Letter;
use crate::app::submit::{DryRun, Place, dry_run, submit};
use crate::app::{App, inboxes};
use crate::model::{Caller, IdempotencyClaim, Inbox, InboxId, Message, MessageId, Permission, SendResult};
use crate::rules::calendar::is_inbox;
use crate::rules::{access, recipients};
use crate::{CalendarRefusal, Error, FieldError};

/// Maximum length of a title in the subject in characters.
const MAX_TITLE_CHARS: usize = 200;

/// Answer to an invitation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rsvp {
    /// Response; never [`AttendeeStatus::NeedsAction`].
    pub status: AttendeeStatus,
    /// Comment for the organizer.
    pub comment: Option<String>,
    /// Whether the answer may go to an organizer of another domain than that of an unknown sender.
    pub confirm_organizer: bool,
}

/// Validates the comment of an answer.
#[must_use]
pub fn problems_of_rsvp(rsvp: &Rsvp) -> Vec<FieldError> {
    let Some(comment) = &rsvp.comment else { return Vec::new() };
    let is_control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    let mut problems = Vec::new();
    if comment.len() > MAX_COMMENT_BYTES {
        problems.push(FieldError::new("comment", format!("has at most {MAX_COMMENT_BYTES} bytes")));
    }
    if comment.contains(is_control) {
        problems.push(FieldError::new("comment", "contains a control character"));
    }
    problems
}

/// Answers the invitation of a message by a mail to its organizer, in the thread of the message.
///
/// # Errors
/// As [`super::send()`], [`Error::NotFound`] for the message, and [`CalendarRefusal`].
pub async fn rsvp(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    rsvp: Rsvp,
    claim: Option<IdempotencyClaim>,
) -> Result<SendResult, Error> {
    let Prepared { inbox, entry, letter, place } = prepare(app, caller, inbox_id, message_id, &rsvp).await?;
    let calendar = answered(app, &inbox, &entry, &rsvp).await?;
    submit(app, caller, &inbox, letter, Place { claim, calendar, ..place }).await
}

/// Returns the result that [`rsvp()`] would have. It shows the event, so it also needs the permission to read messages.
///
/// # Errors
/// As [`rsvp()`]; refusals for recipients, quotas and budgets are in the result.
pub async fn dry_run_rsvp(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    rsvp: Rsvp,
) -> Result<DryRun, Error> {
    access::require(caller, Permission::MessageRead)?;
    let Prepared { inbox, letter, place, .. } = prepare(app, caller, inbox_id, message_id, &rsvp).await?;
    dry_run(app, caller, &inbox, letter, place).await
}

/// An answer before it is sent.
struct Prepared {
    inbox: Inbox,
    /// The answered event.
    entry: CalendarEntry,
    letter: Letter,
    place: Place,
}

async fn prepare(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    rsvp: &Rsvp,
) -> Result<Prepared, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageSend)?;
    Error::unless_empty(problems_of_rsvp(rsvp))?;
    let inbox = inboxes::find(app, caller, inbox_id).await?;
    let invitation = get::find(app, caller, inbox_id, message_id).await?;
    let answered = answerable(&invitation)?;
    let (letter, place) = answer_letter(&inbox, &invitation, answered, rsvp, app.clock.now())?;
    Ok(Prepared { entry: answered.0.clone(), inbox, letter, place })
}

/// Writes the answer to an event and its organizer, in the thread of the invitation.
///
/// # Errors
/// [`CalendarRefusal`].
pub(in crate::app) fn answer_letter(
    inbox: &Inbox,
    invitation: &Message,
    (entry, organizer): (&CalendarEntry, &CalendarPerson),
    rsvp: &Rsvp,
    now: OffsetDateTime,
) -> Result<(Letter, Place), Error> {
    let attendee = attendee_of(inbox, invitation, entry)?;
    let refused = |_| CalendarRefusal::NotAnInvitation(invitation.item.message_id.clone());
    let address: EmailAddress = organizer.email.parse().map_err(refused)?;
    recipients::require_organizer_confirmation(&invitation.item, &address, rsvp.confirm_organizer)?;
    let to = Mailbox { name: organizer.name.clone(), address };
    Ok((letter_of(entry, attendee, to, rsvp, now), place_of_reply(invitation)))
}

/// Returns the event and the organizer of an invitation.
fn answerable(invitation: &Message) -> Result<(&CalendarEntry, &CalendarPerson), Error> {
    let calendar = invitation.body.extracted.as_ref().and_then(|found| found.calendar.as_ref());
    let request = calendar.filter(|calendar| calendar.method == Some(CalendarMethod::Request));
    let entry = request.map(|calendar| &calendar.entry).filter(|_| !invitation.item.labels.contains("sent"));
    let found = entry.and_then(|entry| Some((entry, entry.organizer.as_ref()?)));
    found.ok_or_else(|| CalendarRefusal::NotAnInvitation(invitation.item.message_id.clone()).into())
}

/// Returns the attendee that an inbox is, by its address or the one that the message was delivered to.
fn attendee_of(inbox: &Inbox, invitation: &Message, entry: &CalendarEntry) -> Result<CalendarPerson, Error> {
    let mut people = entry.attendees.iter().map(|attendee| &attendee.person);
    let named = people.find(|person| is_inbox(person, &inbox.inbox_id));
    // The stored attendees are the first hundred, so the inbox may be among the others.
    let is_cut = entry.attendee_count > entry.attendees.len();
    let delivered_to = invitation.item.delivered_to.clone().filter(|_| is_cut);
    let unnamed = delivered_to.map(|email| CalendarPerson { email, name: None });
    named.cloned().or(unnamed).ok_or_else(|| CalendarRefusal::NotInvited(inbox.inbox_id.clone()).into())
}

/// Writes the answer as a mail with its calendar object.
fn letter_of(entry: &CalendarEntry, attendee: CalendarPerson, to: Mailbox, rsvp: &Rsvp, now: OffsetDateTime) -> Letter {
    let (done, verb) = match rsvp.status {
        AttendeeStatus::Accepted => ("Accepted", "accepted"),
        AttendeeStatus::Declined => ("Declined", "declined"),
        AttendeeStatus::Tentative | AttendeeStatus::NeedsAction => ("Tentative", "tentatively accepted"),
    };
    let title: String = entry.title.as_deref().unwrap_or("Invitation").chars().take(MAX_TITLE_CHARS).collect();
    let comment = rsvp.comment.as_deref().map(str::trim).filter(|comment| !comment.is_empty());
    let appended = comment.map(|comment| format!("\n\n{comment}")).unwrap_or_default();
    let text = format!("{} has {verb} this invitation.{appended}", attendee.name.as_deref().unwrap_or(&attendee.email));
    let answer = CalendarEntry {
        stamp: Some(now.unix_timestamp()),
        attendees: vec![CalendarAttendee {
            person: attendee,
            status: rsvp.status,
            role: AttendeeRole::Required,
            comment: None,
            responded_at: None,
        }],
        attendee_count: 1,
        comment: comment.map(str::to_owned),
        description: None,
        ..entry.clone()
    };
    let content = write_calendar(CalendarMethod::Reply, &answer);
    Letter {
        to: vec![to],
        subject: Some(format!("{done}: {title}")),
        text: Some(text),
        calendar: Some(CalendarPart { method: CalendarMethod::Reply, content }),
        ..Letter::default()
    }
}
