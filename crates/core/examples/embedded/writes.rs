//! Writes and locks of the unit of work: the lookups that receiving mail needs.

use std::collections::BTreeSet;

use async_trait::async_trait;
use inboxd_core::model::{
    CalendarEvent, CalendarEventId, CalendarSettings, DatedEventId, InboxId, MessageId, OrganizationId, Thread,
    ThreadId,
};
use inboxd_core::ports::{
    ArrivalQuery, CalendarWrites, Destination, InboundQueries, KnownMessage, OnArrival, StoreError, ThreadKey,
    ThreadWrites,
};
use inboxd_core::rules::calendar_moments::EventSchedule;
use time::OffsetDateTime;

use crate::memory::{Unit, unused};

#[async_trait]
impl InboundQueries for Unit {
    async fn look_up(&mut self, query: &ArrivalQuery) -> Result<OnArrival, StoreError> {
        let lives = |wanted: &&Destination| self.state.inboxes.iter().any(|inbox| inbox.inbox_id == wanted.inbox_id);
        let held = query.inboxes.iter().filter(lives).cloned().collect();
        let is_wanted = |stored: &KnownMessage| {
            let named = |id: &MessageId| {
                query.messages.iter().any(|key| key.inbox_id == stored.inbox_id && key.message_id == *id)
            };
            named(&stored.message_id) || stored.header_message_id.as_ref().is_some_and(named)
        };
        let known = self.state.messages.iter().map(KnownMessage::of).filter(is_wanted).collect();
        Ok(OnArrival { held, known, ..OnArrival::default() })
    }
}

#[async_trait]
impl ThreadWrites for Unit {
    async fn lock_across(&mut self, threads: &[ThreadKey]) -> Result<Vec<Thread>, StoreError> {
        Ok(threads.iter().filter_map(|key| self.state.threads.get(&key.thread_id)).cloned().collect())
    }

    async fn lock(&mut self, _: OrganizationId, _: &InboxId, _: &[ThreadId]) -> Result<Vec<Thread>, StoreError> {
        unused("ThreadWrites::lock")
    }

    async fn update(&mut self, _: &[Thread]) -> Result<(), StoreError> {
        unused("ThreadWrites::update")
    }

    async fn unassign(
        &mut self,
        _: OrganizationId,
        _: &str,
        _: &BTreeSet<InboxId>,
        _: OffsetDateTime,
    ) -> Result<(), StoreError> {
        unused("ThreadWrites::unassign")
    }

    async fn delete(&mut self, _: OrganizationId, _: &InboxId, _: ThreadId) -> Result<(), StoreError> {
        unused("ThreadWrites::delete")
    }
}

#[async_trait]
impl CalendarWrites for Unit {
    async fn lock_uid(
        &mut self,
        _: OrganizationId,
        inbox_id: &InboxId,
        uid: &str,
    ) -> Result<Vec<CalendarEvent>, StoreError> {
        let is_named = |event: &&CalendarEvent| event.inbox_id == *inbox_id && event.entry.uid == uid;
        let mut found: Vec<CalendarEvent> = self.state.calendar.iter().filter(is_named).cloned().collect();
        found.sort_by(|one, other| one.event_id.cmp(&other.event_id));
        Ok(found)
    }

    async fn count(&mut self, _: OrganizationId, inbox_id: &InboxId) -> Result<u64, StoreError> {
        let events = self.state.calendar.iter().filter(|event| event.inbox_id == *inbox_id);
        Ok(events.count().try_into().unwrap_or(u64::MAX))
    }

    async fn close_feeds(&mut self, _: OrganizationId) -> Result<(), StoreError> {
        unused("CalendarWrites::close_feeds")
    }

    async fn create(&mut self, _: &CalendarEvent, _: Option<String>, _: EventSchedule) -> Result<bool, StoreError> {
        unused("CalendarWrites::create")
    }

    async fn store(&mut self, event: &CalendarEvent, _: EventSchedule) -> Result<(), StoreError> {
        self.state.calendar.retain(|known| known.event_id != event.event_id);
        self.state.calendar.push(event.clone());
        Ok(())
    }

    async fn next_moment(
        &mut self,
        _: OrganizationId,
        _: &InboxId,
        _: &str,
    ) -> Result<Option<OffsetDateTime>, StoreError> {
        unused("CalendarWrites::next_moment")
    }

    async fn set_moments(
        &mut self,
        _: OrganizationId,
        _: &InboxId,
        _: &[(DatedEventId, Option<OffsetDateTime>)],
    ) -> Result<(), StoreError> {
        unused("CalendarWrites::set_moments")
    }

    async fn postpone_moment(
        &mut self,
        _: OrganizationId,
        _: &InboxId,
        _: &str,
        _: OffsetDateTime,
    ) -> Result<(), StoreError> {
        unused("CalendarWrites::postpone_moment")
    }

    async fn delete_dates(
        &mut self,
        _: OrganizationId,
        _: &InboxId,
        event_id: CalendarEventId,
    ) -> Result<(), StoreError> {
        let is_date = |id: &DatedEventId| id.event_id == event_id && id.original_start.is_some();
        self.state.calendar.retain(|known| !is_date(&known.event_id));
        Ok(())
    }

    async fn delete(&mut self, _: OrganizationId, _: &InboxId, _: CalendarEventId) -> Result<(), StoreError> {
        unused("CalendarWrites::delete")
    }

    async fn lock_settings(&mut self, _: OrganizationId, _: &InboxId) -> Result<Option<CalendarSettings>, StoreError> {
        unused("CalendarWrites::lock_settings")
    }

    async fn store_settings(&mut self, _: OrganizationId, _: &InboxId, _: &CalendarSettings) -> Result<(), StoreError> {
        unused("CalendarWrites::store_settings")
    }
}
