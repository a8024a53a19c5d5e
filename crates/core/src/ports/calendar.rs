//! Calendars of inboxes.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::{Destination, StoreError};
use crate::model::{
    CalendarEvent, CalendarEventId, CalendarSettings, CalendarSummary, DatedEventId, InboxId, OrganizationId, Page,
    PageRequest,
};
use crate::rules::calendar_moments::EventSchedule;

/// An event of which a start or end is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueMoment {
    /// Its inbox.
    pub destination: Destination,
    /// Its identifier, which its changed dates share.
    pub uid: String,
}

/// Reads of calendars.
#[port]
pub trait CalendarReads {
    /// Returns the number of events of an inbox, the time of the last change and the settings.
    async fn calendar_summary(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
    ) -> Result<CalendarSummary, StoreError>;

    /// Returns a page of the events and changed dates of an inbox, ordered by their last change; the public id is the id.
    async fn list_calendar_events(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        page: &PageRequest,
    ) -> Result<Page<CalendarEvent>, StoreError>;

    /// Returns the events of an inbox that may have a date between two times, and all changed dates, without
    /// descriptions, comments and attendees.
    async fn calendar_events_between(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        after: OffsetDateTime,
        before: OffsetDateTime,
    ) -> Result<Vec<CalendarEvent>, StoreError>;

    /// Returns an event with all its changed dates, the event first, without descriptions, comments and attendees.
    async fn calendar_series(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        event_id: CalendarEventId,
    ) -> Result<Vec<CalendarEvent>, StoreError>;

    /// Returns an event, and before it the event that it is a date of.
    async fn calendar_event(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        id: &DatedEventId,
    ) -> Result<Vec<CalendarEvent>, StoreError>;

    /// Returns the event that a client created with a key.
    async fn calendar_event_of_client(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        client_key: &str,
    ) -> Result<Option<CalendarEvent>, StoreError>;

    /// Returns the event with an identifier and its changed dates, the event first.
    async fn calendar_events_of_uid(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        uid: &str,
    ) -> Result<Vec<CalendarEvent>, StoreError>;

    /// Returns events in live inboxes of which a start or end is due, at most `limit`, of each organization in turn.
    async fn due_calendar_moments(&self, now: OffsetDateTime, limit: u32) -> Result<Vec<DueMoment>, StoreError>;
}

/// Writes of calendars.
#[port]
pub trait CalendarWrites: Send {
    /// Locks the event with an identifier and its changed dates, and returns them, the event first.
    async fn lock_uid(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        uid: &str,
    ) -> Result<Vec<CalendarEvent>, StoreError>;

    /// Returns the number of events and changed dates of an inbox.
    async fn count(&mut self, organization_id: OrganizationId, inbox_id: &InboxId) -> Result<u64, StoreError>;

    /// Stores a new event with the key of its client, if there is one. Returns whether none has its key, or its identifier
    /// and date.
    async fn create(
        &mut self,
        event: &CalendarEvent,
        client_key: Option<String>,
        schedule: EventSchedule,
    ) -> Result<bool, StoreError>;

    /// Stores an event, or replaces the one with its identifier and date. A start or end that was due and not told stays
    /// the next one.
    async fn store(&mut self, event: &CalendarEvent, schedule: EventSchedule) -> Result<(), StoreError>;

    /// Returns the next start or end of an event and its changed dates; `None` without any.
    async fn next_moment(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        uid: &str,
    ) -> Result<Option<OffsetDateTime>, StoreError>;

    /// Stores the next start or end of events and changed dates.
    async fn set_moments(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        moments: &[(DatedEventId, Option<OffsetDateTime>)],
    ) -> Result<(), StoreError>;

    /// Leaves out an event and its changed dates until a time, at which what is due then is returned again.
    async fn postpone_moment(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        uid: &str,
        until: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Deletes all changed dates of an event.
    async fn delete_dates(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        event_id: CalendarEventId,
    ) -> Result<(), StoreError>;

    /// Deletes an event with its changed dates.
    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        event_id: CalendarEventId,
    ) -> Result<(), StoreError>;

    /// Locks and returns the settings of a calendar; `None` if nobody changed them.
    async fn lock_settings(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
    ) -> Result<Option<CalendarSettings>, StoreError>;

    /// Stores the settings of a calendar.
    async fn store_settings(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        settings: &CalendarSettings,
    ) -> Result<(), StoreError>;

    /// Revokes the feeds of all calendars of an organization.
    async fn close_feeds(&mut self, organization_id: OrganizationId) -> Result<(), StoreError>;
}
