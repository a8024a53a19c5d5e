//! `GET /v0/webhooks`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::query_docs::{OrderParams, PageParams};
use crate::views::WebhookList;

#[utoipa::path(
    get,
    path = "/v0/webhooks",
    operation_id = "list_webhooks",
    tag = "Webhooks",
    summary = "List webhooks",
    description = "Lists the webhooks within the caller's reach, newest first. Needs `webhook_read`.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of webhooks", body = WebhookList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<WebhookList> {
    call.require(Permission::WebhookRead)?;
    let within = Within::Reach;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = webhooks::list(call.app(), &call.caller, &within, paging.request.clone()).await?;
    Ok(Json(WebhookList::new(page, &paging)))
}
