//! `GET /v0/inboxes/{inbox_id}/drafts`

use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Answer, drafts};
use crate::query_docs::{DraftParams, OrderParams, PageParams, SpanParams};
use crate::views::DraftList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/drafts",
    operation_id = "list_inbox_drafts",
    tag = "Drafts",
    summary = "List the drafts of an inbox",
    description = "Lists drafts without their bodies, the one changed last first; every filter must match. Needs `draft_read`.",
    params(
        ("inbox_id" = String, Path, description = "The inbox"),
        PageParams, OrderParams, SpanParams, DraftParams
    ),
    responses((status = 200, description = "A page of drafts", body = DraftList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<DraftList> {
    let inbox_id = call.inbox(Permission::DraftRead)?;
    drafts::list::answer(&call, Some(&inbox_id)).await
}
