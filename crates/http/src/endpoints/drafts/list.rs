//! `GET …/drafts`

use actix_web::web::Json;
use inboxd_core::app::drafts::{self, DraftFilter};
use inboxd_core::model::permissions::DraftRead;

use crate::authorized::{Authorized, InboxQuery};
use crate::endpoints::JsonResult;
use crate::query::{LabelParams, OrderParams, PageParams, QueryReader, SpanParams};
use crate::views::DraftList;

#[utoipa::path(
    get,
    path = "/v0/drafts",
    operation_id = "list_drafts",
    tag = "Drafts",
    summary = "List drafts",
    description = "Lists drafts without their bodies, last changed first. All filters must match.",
    params(InboxQuery, PageParams, OrderParams, SpanParams, LabelParams),
    responses((status = 200, description = "A page of drafts", body = DraftList))
)]
pub(crate) async fn handle(call: Authorized<DraftRead, InboxQuery>) -> JsonResult<DraftList> {
    let mut query = call.query();
    let filter = filter(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let filter = DraftFilter { page: paging.request.clone(), ..filter };
    let page = drafts::list(call.app(), &call.caller, filter).await?;
    Ok(Json(DraftList::new(page, &paging, call.app().clock.now())))
}

/// Reads the filter of a draft list.
pub(crate) fn filter(query: &mut QueryReader) -> DraftFilter {
    let LabelParams { labels } = LabelParams::read(query);
    let SpanParams { before, after } = SpanParams::read(query);
    DraftFilter { labels, before, after, ..DraftFilter::default() }
}
