//! `GET /v0/pods/{pod_id}/webhooks`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::query_docs::{OrderParams, PageParams};
use crate::views::WebhookList;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/webhooks",
    operation_id = "list_pod_webhooks",
    tag = "Webhooks",
    summary = "List the webhooks of a pod",
    description = "Lists the webhooks that were made for this pod or an inbox of it, newest first. Needs `webhook_read`.",
    params(("pod_id" = String, Path, description = "The pod"), PageParams, OrderParams),
    responses((status = 200, description = "A page of webhooks", body = WebhookList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<WebhookList> {
    let within = Within::Pod(call.pod(Permission::WebhookRead)?);
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = webhooks::list(call.app(), &call.caller, &within, paging.request.clone()).await?;
    Ok(Json(WebhookList::new(page, &paging)))
}
