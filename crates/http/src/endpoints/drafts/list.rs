//! `GET /v0/drafts`

use actix_web::web::Json;
use inboxd_core::app::drafts::{self, DraftFilter};
use inboxd_core::model::{InboxId, PageRequest, Permission};
use inboxd_core::rules::access;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::error::ApiError;
use crate::path;
use crate::query::{Paging, Query};
use crate::query_docs::{DraftParams, InboxParams, OrderParams, PageParams, SpanParams};
use crate::views::DraftList;

#[utoipa::path(
    get,
    path = "/v0/drafts",
    operation_id = "list_drafts",
    tag = "Drafts",
    summary = "List drafts across inboxes",
    description = "Lists the drafts of every inbox that the key reaches, or of one that is named, without their bodies, the one changed last first; every filter must match. Needs `draft_read`.",
    params(InboxParams, PageParams, OrderParams, SpanParams, DraftParams),
    responses((status = 200, description = "A page of drafts", body = DraftList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<DraftList> {
    let mut query = call.query();
    let inbox_id = query.text("inbox_id").map(|text| path::inbox_id(&text));
    if let Some(inbox_id) = &inbox_id {
        access::require_inbox(&call.caller, inbox_id)?;
    }
    call.require(Permission::DraftRead)?;
    page(&call, query, inbox_id.as_ref()).await
}

/// The drafts of an inbox, or of all that the caller reaches.
pub(in crate::endpoints) async fn answer(call: &Authenticated, inbox_id: Option<&InboxId>) -> Answer<DraftList> {
    page(call, call.query(), inbox_id).await
}

async fn page(call: &Authenticated, query: Query, inbox_id: Option<&InboxId>) -> Answer<DraftList> {
    let (filter, paging) = asked(call, query)?;
    let page = drafts::list(call.app(), &call.caller, inbox_id, filter).await?;
    Ok(Json(DraftList::new(page, &paging, call.app().clock.now())))
}

/// What the query asks for, if it can be read.
pub(in crate::endpoints) fn asked(call: &Authenticated, mut query: Query) -> Result<(DraftFilter, Paging), ApiError> {
    let filter = DraftFilter {
        labels: query.words("labels"),
        before: query.time("before"),
        after: query.time("after"),
        page: PageRequest::default(),
    };
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    Ok((DraftFilter { page: paging.request.clone(), ..filter }, paging))
}
