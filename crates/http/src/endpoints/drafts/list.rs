//! `GET /v0/drafts`

use actix_web::web::Json;
use inboxd_core::app::drafts::{self, DraftFilter};
use inboxd_core::model::{InboxId, PageRequest, Permission};

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::query_docs::{DraftParams, OrderParams, PageParams, SpanParams};
use crate::views::DraftList;

#[utoipa::path(
    get,
    path = "/v0/drafts",
    operation_id = "list_drafts",
    tag = "Drafts",
    summary = "List drafts across inboxes",
    description = "Lists the drafts of every inbox that the key reaches, without their bodies, the one changed last first; every filter must match. Needs `draft_read`.",
    params(PageParams, OrderParams, SpanParams, DraftParams),
    responses((status = 200, description = "A page of drafts", body = DraftList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<DraftList> {
    call.require(Permission::DraftRead)?;
    answer(&call, None).await
}

/// The drafts of an inbox, or of all that the caller reaches.
pub(in crate::endpoints) async fn answer(call: &Authenticated, inbox_id: Option<&InboxId>) -> Answer<DraftList> {
    let mut query = call.query();
    let filter = DraftFilter {
        labels: query.words("labels"),
        before: query.time("before"),
        after: query.time("after"),
        page: PageRequest::default(),
    };
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let filter = DraftFilter { page: paging.request.clone(), ..filter };
    let page = drafts::list(call.app(), &call.caller, inbox_id, filter).await?;
    Ok(Json(DraftList::new(page, &paging, call.app().clock.now())))
}
