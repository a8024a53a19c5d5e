//! List of delivery attempts.

use time::OffsetDateTime;

use super::list::scope_of;
use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::WebhookRead;
use crate::model::{EventId, EventType, Page, PageRequest, WebhookAttempt, WebhookId};
use crate::ports::{AttemptQuery, AttemptResult};
use crate::rules::authorization::AuthorizedCaller;

/// Filter of an attempt list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttemptFilter {
    /// Only attempts for this webhook.
    pub webhook_id: Option<WebhookId>,
    /// Only attempts for this event.
    pub event_id: Option<EventId>,
    /// Only attempts for events of these types.
    pub event_types: Vec<String>,
    /// Only attempts with this result.
    pub result: Option<AttemptResult>,
    /// Only attempts with this response status.
    pub status_code: Option<u16>,
    /// Inclusive start of the time range.
    pub start: Option<OffsetDateTime>,
    /// Exclusive end of the time range.
    pub end: Option<OffsetDateTime>,
    /// Requested page.
    pub page: PageRequest,
}

/// Lists the delivery attempts of the webhooks within the scope of the call, newest first. A caller that reaches the
/// whole organization also sees attempts of deleted webhooks.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::UnknownEventType`], [`Error::Invalid`], [`Error::NotFound`] for the scope of the
/// path.
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
