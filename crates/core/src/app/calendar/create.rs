//! Creation of an event.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use inboxd_mail::{CalendarEntry, CalendarPerson};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::change::CalendarChange;
use super::fields::{NewEvent, nonempty, problems_of_new, schedule_of, stored};
use super::invitation::{Occasion, letter};
use super::{ChangedEvent, commit, require_writing};
use crate::app::App;
use crate::app::submit::Place;
use crate::model::{CalendarDate, CalendarEvent, CalendarEventId, Caller, EventAuthority, EventId, Inbox, InboxId};
use crate::rules::calendar::{DEFAULT_ZONE, version};
use crate::{CalendarRefusal, Error};

/// Creates an event, and invites its attendees by mail if the caller wants that. A repeat with the same `client_id` and
/// request returns the event created before and sends nothing.
///
/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`], [`Error::RowLimitReached`], [`CalendarRefusal`], and with invitations those
/// of [`send`](crate::app::messages::send()).
pub async fn create(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    new: NewEvent,
    request: [u8; 32],
) -> Result<ChangedEvent, Error> {
    Error::unless_empty(problems_of_new(&new))?;
    let inbox = require_writing(app, caller, inbox_id).await?;
    let now = app.clock.now();
    let event_id: CalendarEventId = app.mint(now);
    let client = new.client_id.clone().map(|client_id| (client_key_of(&inbox, &client_id), client_id));
    let request = URL_SAFE_NO_PAD.encode(request);
    if let Some(client) = &client
        && let Some(known) = repeated(app, &inbox, client, &request).await?
    {
        return Ok(known);
    }
    let zone = if let Some(zone) = &new.timezone {
        zone.clone()
    } else {
        let summary = app.store.calendar_summary(inbox.organization_id, &inbox.inbox_id).await?;
        summary.settings.map_or_else(|| DEFAULT_ZONE.to_owned(), |settings| settings.timezone)
    };
    let (times, recurrence) = schedule_of(&new, &zone).map_err(|problem| Error::Invalid(vec![problem]))?;
    let attendees = stored(new.attendees);
    let address = inbox.inbox_id.to_string();
    let entry = CalendarEntry {
        // A later event with the same client_id has another one: calendar programs know the deleted event by its own.
        uid: format!("{}@{}", event_id.0.simple(), inbox.inbox_id.domain()),
        sequence: 0,
        stamp: Some(now.unix_timestamp()),
        recurrence_id: None,
        recurrence_at: None,
        title: Some(new.title),
        description: nonempty(new.description),
        location: nonempty(new.location),
        status: new.status,
        times: Some(times.clone()),
        recurrence,
        organizer: Some(CalendarPerson { email: address.clone(), name: inbox.display_name.clone() }),
        attendee_count: attendees.len(),
        attendees,
        comment: None,
    };
    let event = CalendarEvent {
        organization_id: inbox.organization_id,
        inbox_id: inbox.inbox_id.clone(),
        event_id: event_id.into(),
        entry,
        times,
        authority: EventAuthority { from: address.clone(), organizer: address, is_authenticated: true },
        origin_message_id: None,
        metadata: new.metadata,
        response: None,
        revision: 1,
        request: client.is_some().then(|| request.clone()),
        created_at: now,
        updated_at: now,
    };
    let letter = if new.send_invites { letter(&inbox, &event, Occasion::Created)? } else { None };
    let change = CalendarChange::create(event.clone(), client.as_ref().map(|(client_key, _)| client_key.clone()));
    match commit(app, caller, &inbox, change, letter.map(|letter| (letter, Place::default()))).await {
        Ok(sent) => Ok(ChangedEvent { sent, is_repeat: false, ..unchanged(event) }),
        Err(raced @ Error::Calendar(CalendarRefusal::Changed(_))) => {
            // A concurrent request with the same `client_id` stored its event first.
            let Some(client) = &client else { return Err(raced) };
            repeated(app, &inbox, client, &request).await?.ok_or(raced)
        }
        Err(error) => Err(error),
    }
}

/// Returns the key of a `client_id`, by which storage finds a repeat.
fn client_key_of(inbox: &Inbox, client_id: &str) -> String {
    let named = format!("{}\n{}\n{client_id}", inbox.organization_id, inbox.inbox_id);
    let digest = Sha256::digest(named.as_bytes());
    digest.first_chunk().map_or_else(String::new, |bytes| Uuid::from_bytes(*bytes).simple().to_string())
}

/// Returns the event that an earlier request created with the same `client_id`, which follows its key.
async fn repeated(
    app: &App,
    inbox: &Inbox,
    (client_key, client_id): &(String, String),
    request: &str,
) -> Result<Option<ChangedEvent>, Error> {
    let found = app.store.calendar_event_of_client(inbox.organization_id, &inbox.inbox_id, client_key).await?;
    let Some(event) = found else { return Ok(None) };
    if event.request.as_deref() != Some(request) {
        return Err(CalendarRefusal::ClientIdReused(client_id.to_owned()).into());
    }
    Ok(Some(unchanged(event)))
}

/// Returns an event as a whole that an earlier request stored.
fn unchanged(event: CalendarEvent) -> ChangedEvent {
    let operation_id = EventId(event.event_id.event_id.0);
    let version = version(std::slice::from_ref(&event), &event.event_id).unwrap_or_default();
    ChangedEvent {
        date: CalendarDate { event, is_instance: false },
        version,
        operation_id,
        sent: None,
        is_repeat: true,
    }
}
