//! `GET /v0/pods/{pod_id}/webhooks/attempts`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, AttemptFilter, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::webhooks::attempts::attempt_filter;
use crate::query_docs::{AttemptParams, OrderParams, PageParams};
use crate::views::WebhookAttemptList;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/webhooks/attempts",
    operation_id = "list_pod_webhook_attempts",
    tag = "Webhooks",
    summary = "List the deliveries to webhooks of a pod",
    description = "Lists every attempt to deliver an event to the webhooks that were made for this pod or an inbox of it, newest first. Needs `webhook_read`.",
    params(("pod_id" = String, Path, description = "The pod"), AttemptParams, PageParams, OrderParams),
    responses((status = 200, description = "A page of attempts", body = WebhookAttemptList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<WebhookAttemptList> {
    let within = Within::Pod(call.pod(Permission::WebhookRead)?);
    let mut query = call.query();
    let filter = attempt_filter(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let filter = AttemptFilter { page: paging.request.clone(), ..filter };
    let page = webhooks::attempts(call.app(), &call.caller, &within, filter).await?;
    Ok(Json(WebhookAttemptList::new(page, &paging)))
}
