//! `GET /v0/inboxes/{inbox_id}/webhooks`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::query_docs::{OrderParams, PageParams};
use crate::views::WebhookList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/webhooks",
    operation_id = "list_inbox_webhooks",
    tag = "Webhooks",
    summary = "List the webhooks of an inbox",
    description = "Lists the webhooks that were made for this inbox, newest first. Needs `webhook_read`.",
    params(("inbox_id" = String, Path, description = "The inbox"), PageParams, OrderParams),
    responses((status = 200, description = "A page of webhooks", body = WebhookList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<WebhookList> {
    let within = Within::Inbox(call.inbox(Permission::WebhookRead)?);
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = webhooks::list(call.app(), &call.caller, &within, paging.request.clone()).await?;
    Ok(Json(WebhookList::new(page, &paging)))
}
