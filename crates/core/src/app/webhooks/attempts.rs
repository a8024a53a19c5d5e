//! The log of what was sent.

use time::OffsetDateTime;

use super::list::scope_of;
use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::WebhookRead;
use crate::model::{EventId, EventType, Page, PageRequest, WebhookAttempt, WebhookId};
use crate::ports::{AttemptQuery, AttemptResult};
use crate::rules::authorization::AuthorizedCaller;

/// Which attempts the caller asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttemptFilter {
    /// Only those to this webhook.
    pub webhook_id: Option<WebhookId>,
    /// Only those of this event.
    pub event_id: Option<EventId>,
    /// Only those of events of one of these kinds.
    pub event_types: Vec<String>,
    /// Only those that ended so.
    pub result: Option<AttemptResult>,
    /// Only those that were answered with this status.
    pub status_code: Option<u16>,
    /// Not before this.
    pub start: Option<OffsetDateTime>,
    /// Before this.
    pub end: Option<OffsetDateTime>,
    /// Which page.
    pub page: PageRequest,
}

/// Lists the attempts to deliver events to the webhooks within the caller's reach, or those of a pod or an inbox, newest
/// first. What was sent to a webhook that is gone is still shown to who reaches the whole organization.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::UnknownEventType`],
/// [`Error::Invalid`], [`Error::NotFound`] for what the path names.
pub async fn attempts(
    app: &App,
    caller: &AuthorizedCaller<WebhookRead>,
    filter: AttemptFilter,
) -> Result<Page<WebhookAttempt>, Error> {
    if filter.start.zip(filter.end).is_some_and(|(start, end)| start > end) {
        return Err(Error::invalid("start", "start lies after end"));
    }
    let event_types = filter
        .event_types
        .iter()
        .map(|name| EventType::named(name).ok_or_else(|| Error::UnknownEventType(name.clone())))
        .collect::<Result<Vec<_>, _>>()?;
    let scope = scope_of(caller.organization.organization_id, scope::resolve(app, caller).await?);
    let AttemptFilter { webhook_id, event_id, result, status_code, start, end, page, .. } = filter;
    let query = AttemptQuery { scope, webhook_id, event_id, event_types, result, status_code, start, end, page };
    Ok(app.store.list_attempts(&query).await?)
}
