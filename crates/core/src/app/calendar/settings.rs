//! Settings of a calendar.

use inboxd_mail::time_zone_name;

use super::get::InboxCalendar;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::app::{inboxes, scope};
use crate::model::permissions::InboxUpdate;
use crate::model::{CalendarSettings, InboxId, Permission};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::calendar::{matches, settings_version};
use crate::{CalendarRefusal, Error, FieldError};

/// Validates the time zone of a calendar.
#[must_use]
pub fn problems_of_timezone(timezone: &str) -> Vec<FieldError> {
    let message = "must be a time zone of the IANA database, as Europe/Berlin";
    let problem = time_zone_name(timezone).is_none().then(|| FieldError::new("timezone", message));
    problem.into_iter().collect()
}

/// Changes the time zone of new events without one. Stored events keep theirs.
///
/// # Errors
/// [`Error::Invalid`], [`Error::MissingPermission`], [`Error::NotFound`], [`CalendarRefusal::Stale`] for another version
/// than that of `if_match`.
pub async fn set_timezone(
    app: &App,
    caller: &AuthorizedCaller<InboxUpdate>,
    inbox_id: &InboxId,
    timezone: &str,
    if_match: Option<&str>,
) -> Result<InboxCalendar, Error> {
    Error::unless_empty(problems_of_timezone(timezone))?;
    access::require(caller, Permission::MessageRead)?;
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let timezone = time_zone_name(timezone).unwrap_or_else(|| timezone.to_owned());
    let store = || async {
        let now = app.clock.now();
        let mut tx = app.store.begin().await?;
        inboxes::hold(tx.as_mut(), &inbox).await?;
        let known = tx.calendar().lock_settings(inbox.organization_id, inbox_id).await?;
        let revision = known.as_ref().map_or(0, |known| known.revision);
        let version = settings_version(known.as_ref());
        if if_match.is_some_and(|wanted| !matches(wanted, &version)) {
            return Err(CalendarRefusal::Stale { of: "the calendar".to_owned(), version }.into());
        }
        let feed = known.and_then(|known| known.feed);
        let settings = CalendarSettings { timezone: timezone.clone(), revision: revision + 1, feed, updated_at: now };
        tx.calendar().store_settings(inbox.organization_id, inbox_id, &settings).await?;
        Ok::<(), Error>(tx.commit().await?)
    };
    retried(is_contention, store).await?;
    let summary = app.store.calendar_summary(inbox.organization_id, &inbox.inbox_id).await?;
    Ok(InboxCalendar { inbox, summary })
}
