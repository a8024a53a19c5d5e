//! `GET …/webhooks/polling`

use actix_web::web::Json;
use inboxd_core::app::webhooks;
use inboxd_core::model::permissions::WebhookRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::PollingWebhookList;

#[utoipa::path(
    get,
    path = "/v0/webhooks/polling",
    operation_id = "list_polling_webhooks",
    tag = "Webhooks",
    summary = "List polling webhooks",
    description = "Lists the polling webhooks that were created on this path, newest first, without their tokens. The events of a polling webhook are read with its token instead of sent to a URL.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of polling webhooks", body = PollingWebhookList))
)]
pub(crate) async fn handle(call: Authorized<WebhookRead>) -> JsonResult<PollingWebhookList> {
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = webhooks::list_polling(call.app(), &call.caller, paging.request.clone()).await?;
    Ok(Json(PollingWebhookList::new(page, &paging)))
}
