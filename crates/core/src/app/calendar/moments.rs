//! Feed events about calendar events that start or end.
//!
//! A moment is the start or the end of one date of a calendar event.

use time::Duration;

use super::notice::notice;
use crate::Error;
use crate::app::contention::{is_contention, retried};
use crate::app::{App, row_limits};
use crate::model::Event;
use crate::ports::DueMoment;
use crate::rules::calendar_moments::{EventSchedule, MAX_AGE, moments};

/// Maximum number of calendar events that one call handles.
const BATCH: u32 = 100;
/// Time after which a failed calendar event is tried again.
const RETRY_DELAY: Duration = Duration::minutes(5);

/// Appends feed events for the starts and ends that are due, of each organization in turn. Returns whether more may be
/// due, and the failures.
///
/// # Errors
/// [`Error::Store`]. A failure with one calendar event is part of the result; that event is tried again later.
pub async fn announce_moments(app: &App) -> Result<(bool, Vec<(DueMoment, Error)>), Error> {
    let due = app.store.due_calendar_moments(app.clock.now(), BATCH).await?;
    let is_full = u32::try_from(due.len()).is_ok_and(|count| count == BATCH);
    let mut failed = Vec::new();
    for one in due {
        if let Err(error) = retried(is_contention, || append_due(app, &one)).await {
            postpone(app, &one).await?;
            failed.push((one, error));
        }
    }
    Ok((is_full, failed))
}

/// Appends the due moments of a calendar event and of its changed dates, and stores their next moments. Does nothing
/// after another process has done so.
async fn append_due(app: &App, due: &DueMoment) -> Result<(), Error> {
    let DueMoment { destination, uid } = due;
    let (organization_id, inbox_id) = (destination.organization_id, &destination.inbox_id);
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    // An inbox that was deleted meanwhile gets no feed events; the purge deletes its calendar.
    if tx.inboxes().hold(std::slice::from_ref(destination)).await?.is_empty() {
        return Ok(());
    }
    let rows = tx.calendar().lock_uid(organization_id, inbox_id, uid).await?;
    let Some(from) = tx.calendar().next_moment(organization_id, inbox_id, uid).await?.filter(|from| *from <= now)
    else {
        return Ok(());
    };
    let mut events: Vec<Event> = Vec::new();
    for moment in moments(&rows, from.max(now - MAX_AGE), now) {
        match row_limits::count_creation(app, tx.as_mut(), organization_id, now).await {
            Ok(()) => {}
            // Over its daily limit, an organization gets no feed events for the other due moments.
            Err(Error::RowLimitReached { .. }) => break,
            Err(error) => return Err(error),
        }
        let event = notice(app.mint(now), moment.kind, (destination.pod_id, None), &moment.date.event, None);
        events.push(Event { created_at: now, ..event });
    }
    let next = rows.iter().map(|row| (row.event_id.clone(), EventSchedule::of(row, now).next_moment_at));
    tx.calendar().set_moments(organization_id, inbox_id, &next.collect::<Vec<_>>()).await?;
    if !events.is_empty() {
        tx.events().append(&events).await?;
    }
    tx.commit().await?;
    Ok(())
}

async fn postpone(app: &App, due: &DueMoment) -> Result<(), Error> {
    let DueMoment { destination, uid } = due;
    let mut tx = app.store.begin().await?;
    let until = app.clock.now() + RETRY_DELAY;
    tx.calendar().postpone_moment(destination.organization_id, &destination.inbox_id, uid, until).await?;
    Ok(tx.commit().await?)
}
