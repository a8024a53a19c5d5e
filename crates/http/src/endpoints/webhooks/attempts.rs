//! `GET …/webhooks/attempts`

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::endpoints::events::list::event_types;
use crate::query::formats::{choice, date_time, id, number, words_of};
use crate::query::{OrderParams, PageParams, QueryReader, query_params};
use crate::views::WebhookAttemptList;
use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, AttemptFilter};
use inboxd_core::model::permissions::WebhookRead;
use inboxd_core::model::{EventId, PageRequest, WebhookId};
use inboxd_core::ports::AttemptResult;
use time::OffsetDateTime;

query_params! {
    /// Filters of attempts to deliver events.
    pub(crate) struct AttemptParams {
        /// Only attempts of this webhook.
        webhook_id: Option<WebhookId> = id(WebhookId::PREFIX),
        /// Only attempts to deliver this event.
        event_id: Option<EventId> = id(EventId::PREFIX),
        /// Only attempts to deliver events of these types.
        event_types: Vec<String> = words_of(event_types),
        /// Result of the attempt: a 2xx response (`succeeded`), or another response or none (`failed`).
        status: Option<AttemptResult> =
            choice([("succeeded", AttemptResult::Succeeded), ("failed", AttemptResult::Failed)]),
        /// Only attempts that received a response with this status code.
        status_code: Option<u16> = number(100..=999),
        /// Start of the time span, inclusive.
        start: Option<OffsetDateTime> = date_time(),
        /// End of the time span, exclusive.
        end: Option<OffsetDateTime> = date_time(),
    }
}

/// Reads the filter of webhook attempts.
fn attempt_filter(query: &mut QueryReader) -> AttemptFilter {
    let AttemptParams { webhook_id, event_id, event_types, status, status_code, start, end } =
        AttemptParams::read(query);
    AttemptFilter {
        webhook_id,
        event_id,
        event_types,
        result: status,
        status_code,
        start,
        end,
        page: PageRequest::default(),
    }
}

#[utoipa::path(
    get,
    path = "/v0/webhooks/attempts",
    operation_id = "list_webhook_attempts",
    tag = "Webhooks",
    summary = "List webhook delivery attempts",
    description = "Lists the attempts to deliver events to webhooks, newest first.",
    params(AttemptParams, PageParams, OrderParams),
    responses((status = 200, description = "A page of attempts", body = WebhookAttemptList))
)]
pub(crate) async fn handle(call: Authorized<WebhookRead>) -> JsonResult<WebhookAttemptList> {
    let mut query = call.query();
    let filter = attempt_filter(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let filter = AttemptFilter { page: paging.request.clone(), ..filter };
    let page = webhooks::attempts(call.app(), &call.caller, filter).await?;
    Ok(Json(WebhookAttemptList::new(page, &paging)))
}
