//! Answers of attendees to events of the inbox, in the unit of work that stores their mails.

use inboxd_mail::CalendarEntry;

use super::file::CalendarUpdate;
use super::get::{date_of, own_date};
use super::notice::notice;
use crate::app::App;
use crate::model::{CalendarEvent, DatedEventId, Event, EventType};
use crate::ports::{StoreError, Tx};
use crate::rules::calendar::MAX_EVENTS;
use crate::rules::calendar_moments::EventSchedule;
use crate::rules::calendar_replies::{answered, answered_date};

/// Maximum number of events and changed dates of an inbox that answers to single dates fill.
const MAX_ANSWERED: u64 = MAX_EVENTS / 2;

impl CalendarUpdate {
    /// Stores the answers of a message to events that the inbox organizes, and returns their events of the feed.
    pub(super) async fn file_reply(&self, app: &App, tx: &mut dyn Tx) -> Result<Vec<Event>, StoreError> {
        let Self { organization_id, inbox_id, message, .. } = self;
        let mut known = tx.calendar().lock_uid(*organization_id, inbox_id, &message.entry.uid).await?;
        let mut room = MAX_ANSWERED.saturating_sub(tx.calendar().count(*organization_id, inbox_id).await?);
        let mut events = Vec::new();
        let same = message.others.iter().filter(|entry| entry.uid == message.entry.uid);
        for reply in std::iter::once(&message.entry).chain(same) {
            let Some(whole) = known.iter().find(|event| event.is_own() && event.event_id.original_start.is_none())
            else {
                return Ok(events);
            };
            let Some(before) = event_of(&known, whole, reply) else { continue };
            let is_new = before.revision == 0;
            let Some(entry) = answered(&before.entry, reply, &self.sender, self.now.unix_timestamp()) else { continue };
            if is_new && room == 0 {
                continue;
            }
            room = room.saturating_sub(u64::from(is_new));
            let event = CalendarEvent { entry, revision: before.revision + 1, updated_at: self.now, ..before };
            tx.calendar().store(&event, EventSchedule::of(&event, self.now)).await?;
            let kind = EventType::CalendarEventResponded;
            events.push(notice(app.mint(self.now), kind, (self.pod_id, None), &event, None));
            known.retain(|other| other.event_id != event.event_id);
            known.push(event);
        }
        Ok(events)
    }
}

/// Returns the event that an answer is about, or its date, which becomes one of its own.
fn event_of(known: &[CalendarEvent], whole: &CalendarEvent, reply: &CalendarEntry) -> Option<CalendarEvent> {
    if reply.recurrence_id.is_none() {
        return Some(whole.clone());
    }
    let original_start = Some(answered_date(whole, reply)?);
    let id = DatedEventId { event_id: whole.event_id.event_id, original_start };
    let stored = known.iter().find(|event| event.event_id == id).cloned();
    stored.or_else(|| date_of(whole.clone(), id).map(own_date))
}
