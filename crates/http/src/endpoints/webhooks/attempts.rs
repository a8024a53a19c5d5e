//! `GET …/webhooks/attempts`

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::QueryReader;
use crate::query_docs::{AttemptParams, OrderParams, PageParams};
use crate::views::WebhookAttemptList;
use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, AttemptFilter};
use inboxd_core::model::PageRequest;
use inboxd_core::model::permissions::WebhookRead;
use inboxd_core::ports::AttemptResult;

/// Reads the filter of webhook attempts.
fn attempt_filter(query: &mut QueryReader) -> AttemptFilter {
    AttemptFilter {
        webhook_id: query.id("webhook_id"),
        event_id: query.id("event_id"),
        event_types: query.words("event_types"),
        result: query.word("status", &["succeeded", "failed"]).map(|word| match word {
            "succeeded" => AttemptResult::Succeeded,
            _ => AttemptResult::Failed,
        }),
        status_code: query.number("status_code", 100..=999).and_then(|status| u16::try_from(status).ok()),
        start: query.time("start"),
        end: query.time("end"),
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
