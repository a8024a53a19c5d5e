//! The calendar of an inbox at a secret URL, for programs that subscribe to calendars.

use inboxd_mail::{CalendarEntry, CalendarPerson, write_feed};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use time::Duration;

use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{inboxes, scope};
use crate::model::permissions::InboxUpdate;
use crate::model::{
    AuditAction, AuditedResource, CalendarEvent, CalendarSettings, InboxId, OrganizationId, Permission,
};
use crate::ports::WorkOwner;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::calendar::DEFAULT_ZONE;
use crate::rules::{access, approval};
use crate::{Error, Resource};

/// Purpose of the signature of a token.
const PURPOSE: &str = "calendar feed";
/// Period of events before and after now.
const PAST: Duration = Duration::days(90);
const FUTURE: Duration = Duration::days(3 * 366);
/// Approximate number of bytes of work that one event takes.
const EVENT_WEIGHT: usize = 4 * 1024;

/// The calendar that a token names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedTarget {
    /// Organization of the inbox.
    pub organization_id: OrganizationId,
    inbox_id: InboxId,
    digest: [u8; 32],
}

/// Signed content of a token.
#[derive(Serialize, Deserialize)]
struct FeedToken {
    organization_id: OrganizationId,
    inbox_id: InboxId,
    secret: [u8; 32],
}

/// Creates the token of a feed and revokes an earlier one. Only its digest is stored.
///
/// # Errors
/// [`Error::NotAPerson`], [`Error::MissingPermission`], [`Error::NotFound`] for the inbox.
pub async fn open_feed(app: &App, caller: &AuthorizedCaller<InboxUpdate>, inbox_id: &InboxId) -> Result<String, Error> {
    access::require(caller, Permission::MessageRead)?;
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    // Everyone with the URL reads the calendar, past all policies of sending, and for longer than a key of an agent lives.
    approval::require_person(caller)?;
    let content =
        FeedToken { organization_id: inbox.organization_id, inbox_id: inbox.inbox_id, secret: app.random.bytes() };
    let payload = serde_json::to_vec(&content).map_err(|error| Error::Internal(error.to_string()))?;
    let token = app.settings.signing_key.sign(PURPOSE, &payload);
    set_feed(app, caller, inbox_id, Some(digest(&token))).await?;
    Ok(token)
}

/// Revokes the token of a feed.
///
/// # Errors
/// As [`open_feed`], and [`Error::NotFound`] without a feed.
pub async fn close_feed(app: &App, caller: &AuthorizedCaller<InboxUpdate>, inbox_id: &InboxId) -> Result<(), Error> {
    set_feed(app, caller, inbox_id, None).await
}

/// Stores the digest of a feed; without one there must be a feed.
async fn set_feed(
    app: &App,
    caller: &AuthorizedCaller<InboxUpdate>,
    inbox_id: &InboxId,
    feed: Option<[u8; 32]>,
) -> Result<(), Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let store = || async {
        let mut tx = app.store.begin().await?;
        inboxes::hold(tx.as_mut(), &inbox).await?;
        let known = tx.calendar().lock_settings(inbox.organization_id, inbox_id).await?;
        if feed.is_none() && known.as_ref().is_none_or(|known| known.feed.is_none()) {
            return Err(Error::not_found(Resource::CalendarFeed, inbox_id));
        }
        let (timezone, revision) =
            known.map_or_else(|| (DEFAULT_ZONE.to_owned(), 0), |known| (known.timezone, known.revision));
        let settings = CalendarSettings { timezone, revision: revision + 1, feed, updated_at: app.clock.now() };
        tx.calendar().store_settings(inbox.organization_id, inbox_id, &settings).await?;
        let action = if feed.is_some() { AuditAction::CalendarFeedCreated } else { AuditAction::CalendarFeedDeleted };
        let (resource_type, resource_id) = (AuditedResource::Inbox, inbox_id.to_string());
        let change = AuditChange { action, resource_type, resource_id, before: None, after: None };
        audit::record(app, tx.as_mut(), caller, change).await?;
        Ok::<(), Error>(tx.commit().await?)
    };
    retried(is_contention, store).await
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Returns the calendar that a token names, by its signature alone.
///
/// # Errors
/// [`Error::NotFound`].
pub fn feed_target(app: &App, token: &str) -> Result<FeedTarget, Error> {
    let payload = app.settings.signing_key.verify(PURPOSE, token);
    let content = payload.and_then(|payload| serde_json::from_slice::<FeedToken>(&payload).ok()).ok_or_else(gone)?;
    let FeedToken { organization_id, inbox_id, .. } = content;
    Ok(FeedTarget { organization_id, inbox_id, digest: digest(token) })
}

fn gone() -> Error {
    Error::not_found(Resource::CalendarFeed, "this link")
}

/// Returns the events of a calendar as an iCalendar object, without descriptions, metadata and people:
/// its organizer is the inbox.
///
/// # Errors
/// [`Error::NotFound`] for a revoked token or a deleted inbox.
pub async fn feed(app: &App, target: FeedTarget) -> Result<String, Error> {
    let FeedTarget { organization_id, inbox_id, digest } = target;
    let summary = app.store.calendar_summary(organization_id, &inbox_id).await?;
    let known = summary.settings.and_then(|settings| settings.feed).ok_or_else(gone)?;
    if !bool::from(known.ct_eq(&digest)) {
        return Err(gone());
    }
    let inbox = app.store.inbox(organization_id, &inbox_id).await?.ok_or_else(gone)?;
    let now = app.clock.now();
    let events = app.store.calendar_events_between(organization_id, &inbox_id, now - PAST, now + FUTURE).await?;
    let weight = events.len().saturating_mul(EVENT_WEIGHT);
    let write = move || {
        // Who invited the inbox is nobody else's business.
        let name = inbox.display_name.clone();
        let organizer = Some(CalendarPerson { email: inbox.inbox_id.to_string(), name });
        let entry = |event: CalendarEvent| CalendarEntry {
            times: Some(event.times),
            organizer: organizer.clone(),
            ..event.entry
        };
        let entries: Vec<CalendarEntry> = events.into_iter().map(entry).collect();
        write_feed(inbox.display_name.as_deref().unwrap_or(inbox.inbox_id.as_str()), &entries)
    };
    app.compute(WorkOwner::Organization(organization_id), weight, write).await
}
