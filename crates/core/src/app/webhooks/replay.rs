//! Replay of past events to a webhook.

use time::OffsetDateTime;

use super::find::find;
use crate::app::audit::{self, AuditChange};
use crate::app::{App, feed};
use crate::model::permissions::WebhookUpdate;
use crate::model::{AuditAction, Caller, EventId, OrganizationId, WebhookId};
use crate::ports::{ReplaySpan, Tx};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::webhooks::subscription::{lies_within, matches};
use crate::{Error, FieldError, Resource};

/// Maximum of events that one unit of work examines.
const STRETCH: u32 = 2_000;
/// Number of waiting deliveries of a webhook at which its replay pauses. The queue is for deliveries that can be sent
/// soon.
const MAX_WAITING_DELIVERIES: u32 = 10_000;

/// Events to replay; exactly one of the fields must be set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Again {
    /// One event.
    pub event_id: Option<String>,
    /// All events since this time.
    pub since: Option<OffsetDateTime>,
}

/// Progress of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replayed {
    /// Deliveries that were queued so far.
    pub queued: u64,
    /// Whether the replay is complete; otherwise a worker continues it.
    pub is_complete: bool,
}

/// Queues an event, or all events since a time that match the webhook's subscription, oldest first. Events that are
/// already queued for the webhook are not queued twice.
///
/// # Errors
/// [`Error::Invalid`], [`Error::PodOutOfScope`], [`Error::NotFound`],
/// [`Error::WebhookDisabled`];
/// [`Error::CursorExpired`] and [`Error::ReplayTooOld`] for events past the retention period.
pub async fn replay(
    app: &App,
    caller: &AuthorizedCaller<WebhookUpdate>,
    webhook_id: WebhookId,
    again: Again,
) -> Result<Replayed, Error> {
    Error::unless_empty(problems_of_replay(&again))?;
    let webhook = find(app, caller, webhook_id).await?;
    if !webhook.enabled {
        return Err(Error::WebhookDisabled(webhook_id));
    }
    let replayed = match (&again.event_id, again.since) {
        (Some(event_id), _) => one(app, caller, webhook_id, event_id).await?,
        (None, Some(since)) => many(app, caller, webhook_id, since).await?,
        (None, None) => Replayed { queued: 0, is_complete: true },
    };
    app.wake.webhooks();
    Ok(replayed)
}

/// Returns all violations of a replay request that are visible without the database.
fn problems_of_replay(again: &Again) -> Vec<FieldError> {
    let neither_or_both = "name one of event_id and since: one event, or everything from a moment on";
    match (&again.event_id, again.since) {
        (None, None) | (Some(_), Some(_)) => vec![FieldError::new("event_id", neither_or_both)],
        (Some(_), None) | (None, Some(_)) => Vec::new(),
    }
}

async fn one(app: &App, caller: &Caller, webhook_id: WebhookId, named: &str) -> Result<Replayed, Error> {
    let organization_id = caller.organization.organization_id;
    let shown: String = named.chars().filter(|c| !c.is_control()).take(64).collect();
    let event_id: EventId = named.parse().map_err(|_| Error::not_found(Resource::Event, shown))?;
    // Assigns a position to the event, and refuses an event that is missing or past retention.
    feed::place_of(app, organization_id, event_id).await?;
    let not_there = || Error::not_found(Resource::Event, event_id);
    let mut tx = app.store.begin().await?;
    let webhook = locked(tx.as_mut(), organization_id, webhook_id).await?;
    let event = tx.replays().event(organization_id, event_id).await?.ok_or_else(not_there)?;
    let (pod_id, inbox_id) = (event.pod_id, event.inbox_id.as_ref());
    if !lies_within(&webhook.place, pod_id, inbox_id) {
        return Err(not_there());
    }
    if !matches(&webhook, event.event_type, pod_id, inbox_id) {
        let message = format!(
            "the webhook does not listen to it: it is a {} event of another kind, pod or inbox",
            event.event_type
        );
        return Err(Error::invalid("event_id", message));
    }
    let is_queued = tx.replays().queue(webhook_id, &event, app.clock.now()).await?;
    audit::record(app, tx.as_mut(), caller, AuditChange::touched(AuditAction::WebhookReplayed, &webhook)).await?;
    tx.commit().await?;
    Ok(Replayed { queued: u64::from(is_queued), is_complete: true })
}

async fn many(app: &App, caller: &Caller, webhook_id: WebhookId, since: OffsetDateTime) -> Result<Replayed, Error> {
    let organization_id = caller.organization.organization_id;
    let now = app.clock.now();
    let kept_since = now - app.settings.event_retention;
    if since < kept_since {
        return Err(Error::ReplayTooOld { kept_since });
    }
    let mut tx = app.store.begin().await?;
    let webhook = locked(tx.as_mut(), organization_id, webhook_id).await?;
    tx.replays().begin(&ReplaySpan { organization_id, webhook_id, since, until: now }).await?;
    let walked = tx.replays().walk(organization_id, webhook_id, now, STRETCH).await?;
    audit::record(app, tx.as_mut(), caller, AuditChange::touched(AuditAction::WebhookReplayed, &webhook)).await?;
    tx.commit().await?;
    Ok(Replayed { queued: walked.queued, is_complete: walked.is_end })
}

/// Locks an enabled webhook and returns it.
async fn locked(
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
    webhook_id: WebhookId,
) -> Result<crate::model::Webhook, Error> {
    let locked = tx.webhooks().lock(organization_id, webhook_id).await?;
    let (webhook, _) = locked.ok_or_else(|| Error::not_found(Resource::Webhook, webhook_id))?;
    if webhook.enabled { Ok(webhook) } else { Err(Error::WebhookDisabled(webhook_id)) }
}

/// Continues one of the incomplete replays with one batch. Returns whether a replay could continue.
///
/// # Errors
/// [`Error::Store`].
pub async fn go_on(app: &App) -> Result<bool, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let Some((organization_id, webhook_id)) = tx.replays().next(MAX_WAITING_DELIVERIES, now).await? else {
        return Ok(false);
    };
    let walked = tx.replays().walk(organization_id, webhook_id, now, STRETCH).await?;
    tx.commit().await?;
    if walked.queued > 0 {
        app.wake.webhooks();
    }
    Ok(true)
}
