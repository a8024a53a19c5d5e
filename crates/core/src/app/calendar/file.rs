//! Changes of calendars by received messages, in the unit of work that stores the messages.

use inboxd_mail::{
    CalendarEntry, CalendarMessage, CalendarMethod, EntryStatus, moved_to, normalized_address, with_instants,
};
use time::OffsetDateTime;

use super::notice::notice;
use crate::app::App;
use crate::model::{
    CalendarEvent, DatedEventId, Event, EventAuthority, EventBody, EventType, InboxId, MessageId, NewMail, NewMessage,
    OrganizationId, PodId, ThreadId,
};
use crate::ports::{StoreError, Tx};
use crate::rules::calendar::{
    DEFAULT_ZONE, MAX_EVENTS, is_date_of, is_newer, may_change, original_start, response, voids_dates,
};
use crate::rules::calendar_moments::EventSchedule;

/// Calendar message of a received mail that no hiding label hides.
pub(in crate::app) struct CalendarUpdate {
    pub(super) organization_id: OrganizationId,
    pub(super) pod_id: PodId,
    pub(super) inbox_id: InboxId,
    thread_id: ThreadId,
    message_id: MessageId,
    pub(super) message: CalendarMessage,
    pub(super) sender: EventAuthority,
    pub(super) now: OffsetDateTime,
}

impl CalendarUpdate {
    /// Returns the update of a message; `None` for one that neither invites, cancels nor answers. A counter-proposal and a
    /// request for the present version change nothing.
    pub(in crate::app) fn of(
        new: &NewMessage,
        pod_id: PodId,
        from: Option<&str>,
        is_authenticated: bool,
    ) -> Option<Self> {
        let calendar = new.message.body.extracted.as_ref()?.calendar.as_ref()?;
        if !matches!(calendar.method, Some(CalendarMethod::Request | CalendarMethod::Cancel | CalendarMethod::Reply)) {
            return None;
        }
        let organizer = calendar.entry.organizer.as_ref()?.email.clone();
        let item = &new.message.item;
        Some(Self {
            organization_id: item.organization_id,
            pod_id,
            inbox_id: item.inbox_id.clone(),
            thread_id: item.thread_id,
            message_id: item.message_id.clone(),
            message: calendar.clone(),
            sender: EventAuthority { from: normalized_address(from?), organizer, is_authenticated },
            now: item.timestamp,
        })
    }
}

/// Stores the events of calendar messages. Older messages, and those of senders that may not change an event, change
/// nothing. The mail gets the events of the feed, and its messages the ids of their calendar events.
pub(in crate::app) async fn file(
    app: &App,
    tx: &mut dyn Tx,
    updates: &[CalendarUpdate],
    mail: &mut NewMail,
) -> Result<(), StoreError> {
    for update in updates {
        let events = update.file(app, tx).await?;
        let first = events.first().and_then(|event| match &event.body {
            EventBody::Calendar { calendar_event_id, .. } => Some(calendar_event_id.to_string()),
            _ => None,
        });
        let mut items = mail.messages.iter_mut().map(|new| &mut new.message.item);
        if let Some(item) = items.find(|item| item.inbox_id == update.inbox_id && item.message_id == update.message_id)
        {
            item.calendar_event_id = first;
        }
        mail.events.extend(events);
    }
    Ok(())
}

impl CalendarUpdate {
    async fn file(&self, app: &App, tx: &mut dyn Tx) -> Result<Vec<Event>, StoreError> {
        if self.message.method == Some(CalendarMethod::Reply) {
            return self.file_reply(app, tx).await;
        }
        let Self { organization_id, inbox_id, message, .. } = self;
        let mut known = tx.calendar().lock_uid(*organization_id, inbox_id, &message.entry.uid).await?;
        if known.iter().any(|event| event.is_own() || !may_change(&event.authority, &self.sender)) {
            return Ok(Vec::new());
        }
        let mut events = Vec::new();
        let event_id = known.first().map_or_else(|| app.mint(self.now), |event| event.event_id.event_id);
        let mut room = MAX_EVENTS.saturating_sub(tx.calendar().count(*organization_id, inbox_id).await?);
        let is_cancel = message.method == Some(CalendarMethod::Cancel);
        let mut series = known.iter().find(|event| event.event_id.original_start.is_none()).cloned();
        let same = message.others.iter().filter(|entry| entry.uid == message.entry.uid);
        for entry in std::iter::once(&message.entry).chain(same) {
            let id = DatedEventId { event_id, original_start: original_start(series.as_ref(), entry) };
            let of_id = known.iter().find(|event| event.event_id == id);
            let before = of_id.or_else(|| known.iter().find(|event| is_date_of(event, entry)));
            let id = before.map_or(id, |event| event.event_id.clone());
            if before.is_some_and(|before| !is_newer(entry, &before.entry)) {
                continue;
            }
            // A cancellation of an unknown event says nothing, and a new event needs room.
            if before.is_none() && (room == 0 || (is_cancel && known.is_empty())) {
                continue;
            }
            let Some(event) = self.event(entry, id, before, known.first()) else { continue };
            room = room.saturating_sub(u64::from(before.is_none()));
            tx.calendar().store(&event, EventSchedule::of(&event, self.now)).await?;
            if event.event_id.original_start.is_none() {
                series = Some(event.clone());
            }
            let is_new = before.is_none() && !is_cancel;
            let kind = if is_new { EventType::CalendarEventCreated } else { EventType::CalendarEventUpdated };
            let thread_id = Some(self.thread_id).filter(|_| event.origin_message_id.as_ref() == Some(&self.message_id));
            events.push(notice(app.mint(self.now), kind, (self.pod_id, thread_id), &event, before));
            if before.is_some_and(|before| voids_dates(&event, before)) {
                tx.calendar().delete_dates(*organization_id, inbox_id, event_id).await?;
                known.retain(|event| event.event_id.original_start.is_none());
            }
        }
        Ok(events)
    }

    /// Returns the event of an entry; `None` for one without known times.
    fn event(
        &self,
        entry: &CalendarEntry,
        event_id: DatedEventId,
        before: Option<&CalendarEvent>,
        whole: Option<&CalendarEvent>,
    ) -> Option<CalendarEvent> {
        let known = before.or(whole);
        // A cancellation often has neither times nor texts; those of the event stay, and go with the message they are from.
        let mut origin_message_id = Some(self.message_id.clone());
        let entry = if entry.status == EntryStatus::Cancelled {
            origin_message_id.clone_from(&known?.origin_message_id);
            let mut kept = known?.entry.clone();
            match &event_id.original_start {
                Some(original) if before.is_none() => {
                    kept.recurrence = None;
                    kept.times = moved_to(kept.times.as_ref()?, original, DEFAULT_ZONE);
                    (kept.recurrence_id, kept.recurrence_at) = (Some(original.clone()), entry.recurrence_at);
                }
                Some(_) => kept.recurrence_at = kept.recurrence_at.or(entry.recurrence_at),
                None => (kept.recurrence_id, kept.recurrence_at) = (None, None),
            }
            kept.status = EntryStatus::Cancelled;
            (kept.sequence, kept.stamp) = (entry.sequence, entry.stamp);
            kept
        } else {
            entry.clone()
        };
        let times = entry.times.as_ref().and_then(|times| with_instants(times, DEFAULT_ZONE))?;
        times.start_at?;
        Some(CalendarEvent {
            organization_id: self.organization_id,
            inbox_id: self.inbox_id.clone(),
            event_id,
            times,
            authority: known.map_or_else(|| self.sender.clone(), |event| event.authority.clone()),
            origin_message_id,
            metadata: before.and_then(|event| event.metadata.clone()),
            response: response(&entry, &self.inbox_id),
            revision: before.map_or(0, |event| event.revision) + 1,
            request: None,
            created_at: before.map_or(self.now, |event| event.created_at),
            updated_at: self.now,
            entry,
        })
    }
}
