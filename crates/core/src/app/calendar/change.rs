//! A change of an event, stored if the event is still in the version that was read.

use super::notice::notice;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::app::{inboxes, legal_holds, row_limits};
use crate::error::LimitedRows;
use crate::model::{CalendarEvent, DatedEventId, Event, EventId, EventType, Inbox, TraceContext};
use crate::ports::Tx;
use crate::rules::calendar::{MAX_EVENTS, version, voids_dates};
use crate::rules::calendar_moments::EventSchedule;
use crate::{CalendarRefusal, Error};

/// Change of an event.
#[derive(Debug, Clone)]
pub(in crate::app) struct CalendarChange {
    /// The event after the change, or the deleted one.
    event: CalendarEvent,
    /// Version that was read; `None` for a new event.
    known: Option<String>,
    /// Key of the `client_id` of a new event.
    client_key: Option<String>,
    /// Kind of the change.
    kind: EventType,
    /// Id of the change, and of its event in the feed.
    operation_id: EventId,
}

impl CalendarChange {
    /// Returns the creation of an event. A repeat of its request has the same operation id.
    pub(super) fn create(event: CalendarEvent, client_key: Option<String>) -> Self {
        let operation_id = EventId(event.event_id.event_id.0);
        Self { event, known: None, client_key, kind: EventType::CalendarEventCreated, operation_id }
    }

    /// Returns the change of an event in a version to another state.
    pub(super) fn store(app: &App, event: CalendarEvent, known: String, kind: EventType) -> Self {
        let operation_id = app.mint(event.updated_at);
        Self { event, known: Some(known), client_key: None, kind, operation_id }
    }

    /// Returns the id of the event or date.
    pub(in crate::app) fn event_id(&self) -> String {
        self.event.event_id.to_string()
    }

    /// Returns the id of the change.
    pub(super) fn operation_id(&self) -> EventId {
        self.operation_id
    }

    /// Makes the change in a unit of work of its own.
    pub(super) async fn commit(
        &self,
        app: &App,
        inbox: &Inbox,
        traceparent: Option<TraceContext>,
    ) -> Result<(), Error> {
        let attempt = || async {
            let mut tx = app.store.begin().await?;
            inboxes::hold(tx.as_mut(), inbox).await?;
            self.apply(app, tx.as_mut(), inbox, traceparent).await?;
            Ok::<(), Error>(tx.commit().await?)
        };
        retried(is_contention, attempt).await
    }

    /// Makes the change. A refusal changes nothing. `traceparent` is that of the request.
    ///
    /// # Errors
    /// [`CalendarRefusal::Changed`], [`Error::RowLimitReached`], [`Error::LegalHold`].
    pub(in crate::app) async fn apply(
        &self,
        app: &App,
        tx: &mut dyn Tx,
        inbox: &Inbox,
        traceparent: Option<TraceContext>,
    ) -> Result<(), Error> {
        let CalendarEvent { organization_id, inbox_id, event_id, entry, updated_at, .. } = &self.event;
        let found = tx.calendar().lock_uid(*organization_id, inbox_id, &entry.uid).await?;
        if version(&found, event_id) != self.known {
            return Err(self.raced());
        }
        let before = found.iter().find(|event| event.event_id == *event_id);
        let is_deletion = self.kind == EventType::CalendarEventDeleted;
        let has_dates = || found.iter().any(|event| event.event_id.original_start.is_some());
        let loses_dates = before.is_some_and(|before| voids_dates(&self.event, before)) && has_dates();
        if is_deletion || loses_dates {
            legal_holds::require_deletable(tx, *organization_id, Some(inbox_id)).await?;
        } else if before.is_none() && tx.calendar().count(*organization_id, inbox_id).await? >= MAX_EVENTS {
            return Err(Error::RowLimitReached { rows: LimitedRows::CalendarEvents, limit: MAX_EVENTS });
        }
        // The event of the feed stays after the deletion of the calendar event and therefore counts per day. In a batch, only
        // the refused message is left out, so the refusal comes before the first write.
        row_limits::count_creation(app, tx, *organization_id, *updated_at).await?;
        if is_deletion {
            tx.calendar().delete(*organization_id, inbox_id, event_id.event_id).await?;
            return self.announce(tx, inbox, before, traceparent).await;
        }
        let schedule = EventSchedule::of(&self.event, app.clock.now());
        match before {
            None if !tx.calendar().create(&self.event, self.client_key.clone(), schedule).await? => {
                return Err(self.raced());
            }
            None => {}
            Some(before) => {
                tx.calendar().store(&self.event, schedule).await?;
                if voids_dates(&self.event, before) {
                    tx.calendar().delete_dates(*organization_id, inbox_id, event_id.event_id).await?;
                }
            }
        }
        self.announce(tx, inbox, before, traceparent).await
    }

    /// Appends the event of the feed.
    async fn announce(
        &self,
        tx: &mut dyn Tx,
        inbox: &Inbox,
        before: Option<&CalendarEvent>,
        traceparent: Option<TraceContext>,
    ) -> Result<(), Error> {
        let event = notice(self.operation_id, self.kind, (inbox.pod_id, None), &self.event, before);
        Ok(tx.events().append(&[Event { traceparent, ..event }]).await?)
    }

    fn raced(&self) -> Error {
        CalendarRefusal::Changed(format!("the event {}", self.event.event_id)).into()
    }
}

/// Returns the version that a caller may change.
///
/// # Errors
/// [`CalendarRefusal::Stale`] for another version than that of `If-Match`.
pub(super) fn require_version(
    events: &[CalendarEvent],
    id: &DatedEventId,
    if_match: Option<&str>,
) -> Result<String, Error> {
    let version = version(events, id).ok_or_else(|| super::missing(id))?;
    if if_match.is_some_and(|wanted| !crate::rules::calendar::matches(wanted, &version)) {
        return Err(CalendarRefusal::Stale { of: format!("the event {id}"), version }.into());
    }
    Ok(version)
}
