//! A change of an event, stored if the event is still in the version that was read.

use inboxd_mail::last_end;
use time::OffsetDateTime;

use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::app::{inboxes, legal_holds};
use crate::error::LimitedRows;
use crate::model::{CalendarEvent, DatedEventId, Inbox};
use crate::ports::Tx;
use crate::rules::calendar::{DEFAULT_ZONE, MAX_EVENTS, version, voids_dates};
use crate::{CalendarRefusal, Error};

/// Change of an event.
#[derive(Debug, Clone)]
pub(in crate::app) struct CalendarChange {
    /// The event after the change, or the deleted one.
    event: CalendarEvent,
    /// Version that was read; `None` for a new event.
    known: Option<String>,
    is_deletion: bool,
}

impl CalendarChange {
    /// Returns the creation of an event.
    pub(super) fn create(event: CalendarEvent) -> Self {
        Self { event, known: None, is_deletion: false }
    }

    /// Returns the change of an event in a version to another state.
    pub(super) fn store(event: CalendarEvent, known: String) -> Self {
        Self { event, known: Some(known), is_deletion: false }
    }

    /// Returns the deletion of an event in a version.
    pub(super) fn delete(event: CalendarEvent, known: String) -> Self {
        Self { event, known: Some(known), is_deletion: true }
    }

    /// Makes the change in a unit of work of its own.
    pub(super) async fn commit(&self, app: &App, inbox: &Inbox) -> Result<(), Error> {
        let attempt = || async {
            let mut tx = app.store.begin().await?;
            inboxes::hold(tx.as_mut(), inbox).await?;
            self.apply(tx.as_mut()).await?;
            Ok::<(), Error>(tx.commit().await?)
        };
        retried(is_contention, attempt).await
    }

    /// Makes the change. A refusal changes nothing.
    ///
    /// # Errors
    /// [`CalendarRefusal::Changed`], [`Error::RowLimitReached`], [`Error::LegalHold`].
    pub(in crate::app) async fn apply(&self, tx: &mut dyn Tx) -> Result<(), Error> {
        let CalendarEvent { organization_id, inbox_id, event_id, entry, .. } = &self.event;
        let found = tx.calendar().lock_uid(*organization_id, inbox_id, &entry.uid).await?;
        if version(&found, event_id) != self.known {
            return Err(self.raced());
        }
        if self.is_deletion {
            legal_holds::require_deletable(tx, *organization_id, Some(inbox_id)).await?;
            return Ok(tx.calendar().delete(*organization_id, inbox_id, event_id.event_id).await?);
        }
        let before = found.iter().find(|event| event.event_id == *event_id);
        if before.is_none() && tx.calendar().count(*organization_id, inbox_id).await? >= MAX_EVENTS {
            return Err(Error::RowLimitReached { rows: LimitedRows::CalendarEvents, limit: MAX_EVENTS });
        }
        let ends_at = last_end(&self.event.times, entry.recurrence.as_ref(), DEFAULT_ZONE);
        let ends_at = ends_at.and_then(|end| OffsetDateTime::from_unix_timestamp(end).ok());
        match before {
            None if !tx.calendar().create(&self.event, ends_at).await? => return Err(self.raced()),
            None => {}
            Some(before) => {
                tx.calendar().store(&self.event, ends_at).await?;
                if voids_dates(&self.event, before) {
                    tx.calendar().delete_dates(*organization_id, inbox_id, event_id.event_id).await?;
                }
            }
        }
        Ok(())
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
