//! `GET …/webhooks`

use actix_web::web::Json;
use inboxd_core::app::webhooks;
use inboxd_core::model::permissions::WebhookRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::WebhookList;

#[utoipa::path(
    get,
    path = "/v0/webhooks",
    operation_id = "list_webhooks",
    tag = "Webhooks",
    summary = "List webhooks",
    description = "Lists the webhooks, newest first.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of webhooks", body = WebhookList))
)]
pub(crate) async fn handle(call: Authorized<WebhookRead>) -> JsonResult<WebhookList> {
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = webhooks::list(call.app(), &call.caller, paging.request.clone()).await?;
    Ok(Json(WebhookList::new(page, &paging)))
}
