//! Trace of an inbox: one timeline of its messages, refused mail, reads, label changes, delivery attempts and events.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::{App, scope, webhooks};
use crate::model::permissions::MessageRead;
use crate::model::{
    EventId, HidingLabels, Inbox, InboxId, MessageId, Page, PageRequest, Permission, Reach, ThreadId, TraceEntry,
    TraceRecord, TraceSource,
};
use crate::ports::{TraceQuery, WebhookScope};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{access, trace};
use crate::{Error, FieldError};

/// Maximum webhook attempts that an event shows.
const MAX_WEBHOOK_ATTEMPTS: u32 = 20;

/// Filter of a trace. All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceFilter {
    /// Only entries about this message.
    pub message_id: Option<MessageId>,
    /// Only entries about messages of this thread.
    pub thread_id: Option<ThreadId>,
    /// Only entries about stored messages from or to this address, and refusals of mail from it.
    pub correspondent: Option<String>,
    /// Only entries at or after this time.
    pub start: Option<OffsetDateTime>,
    /// Only entries before this time.
    pub end: Option<OffsetDateTime>,
    /// The page.
    pub page: PageRequest,
}

/// Returns a page of the trace of an inbox. Entries about messages that the caller may not see are omitted. Webhook attempts
/// need `webhook_read`, and are those of webhooks within the reach of the caller, as in the log of attempts.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`],
/// [`Error::Invalid`] for the correspondent.
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    inbox_id: &InboxId,
    filter: TraceFilter,
) -> Result<Page<TraceEntry>, Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let has_webhooks = access::holds(caller, Permission::WebhookRead);
    let webhooks = has_webhooks.then(|| webhooks::scope_of(inbox.organization_id, caller.reach.clone()));
    read(app, query(&inbox, filter, access::readable(caller))?, webhooks).await
}

/// Returns a page of the whole trace of an inbox, for the operator of the server.
///
/// # Errors
/// [`Error::Invalid`] for the correspondent.
pub async fn list_for_operator(app: &App, inbox: &Inbox, filter: TraceFilter) -> Result<Page<TraceEntry>, Error> {
    let webhooks = webhooks::scope_of(inbox.organization_id, Reach::Organization);
    read(app, query(inbox, filter, HidingLabels::ALL)?, Some(webhooks)).await
}

fn query(inbox: &Inbox, filter: TraceFilter, readable: HidingLabels) -> Result<TraceQuery, Error> {
    let TraceFilter { message_id, thread_id, correspondent, start, end, page } = filter;
    let correspondent = match correspondent {
        Some(address) => Some(address.parse::<EmailAddress>().map_err(|_| invalid_correspondent())?.normalized()),
        None => None,
    };
    let (organization_id, inbox_id) = (inbox.organization_id, inbox.inbox_id.clone());
    Ok(TraceQuery { organization_id, inbox_id, message_id, thread_id, correspondent, start, end, readable, page })
}

fn invalid_correspondent() -> Error {
    Error::Invalid(vec![FieldError::new("with", "must be an email address, like anna@example.org")])
}

/// Reads all sources and merges them. Events get their attempts by the webhooks of the scope.
async fn read(app: &App, query: TraceQuery, webhooks: Option<WebhookScope>) -> Result<Page<TraceEntry>, Error> {
    let mut segments = Vec::new();
    for source in TraceSource::ALL {
        let query = TraceQuery { page: trace::page_of(&query.page, source), ..query.clone() };
        segments.push(match source {
            TraceSource::Deliveries => app.store.trace_deliveries(&query).await?,
            TraceSource::Events => app.store.trace_events(&query).await?,
            TraceSource::Labels => app.store.trace_labels(&query).await?,
            TraceSource::Refusals => app.store.trace_refusals(&query).await?,
            TraceSource::Reads => app.store.trace_reads(&query).await?,
        });
    }
    let mut page = trace::merge(segments, query.page.limit, query.page.direction);
    if let Some(webhooks) = webhooks {
        add_webhook_attempts(app, &webhooks, &mut page.items).await?;
    }
    Ok(page)
}

async fn add_webhook_attempts(app: &App, scope: &WebhookScope, entries: &mut [TraceEntry]) -> Result<(), Error> {
    let is_event = |entry: &&TraceEntry| entry.place.source == TraceSource::Events;
    let events: Vec<EventId> = entries.iter().filter(is_event).map(|entry| entry.place.id.into()).collect();
    let Some(since) = entries.iter().filter(is_event).map(|entry| entry.place.at).min() else { return Ok(()) };
    let found = app.store.webhook_attempts_of(scope, &events, since, MAX_WEBHOOK_ATTEMPTS).await?;
    for attempt in found {
        let is_its_event =
            |entry: &&mut TraceEntry| entry.place.source == TraceSource::Events && entry.place.id == attempt.event_id.0;
        if let Some(TraceEntry { record: TraceRecord::Event { webhook_attempts, .. }, .. }) =
            entries.iter_mut().find(is_its_event)
        {
            webhook_attempts.push(attempt);
        }
    }
    Ok(())
}
