//! `GET /v0/events`

use actix_web::web::Json;
use inboxd_core::app::events::{self, EventFilter};
use inboxd_core::model::{PageRequest, Permission};
use inboxd_core::rules::access;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::path;
use crate::query_docs::{EventParams, OrderParams, PageParams};
use crate::views::EventList;

#[utoipa::path(
    get,
    path = "/v0/events",
    operation_id = "list_events",
    tag = "Events",
    summary = "List events",
    description = "Lists what happened within the caller's reach, newest first, over the last seven days unless another span is named. Needs `event_read`.",
    params(EventParams, PageParams, OrderParams),
    responses((status = 200, description = "A page of events", body = EventList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<EventList> {
    let mut query = call.query();
    let inbox_id = query.text("inbox_id").map(|text| path::inbox_id(&text));
    if let Some(inbox_id) = &inbox_id {
        access::require_inbox(&call.caller, inbox_id)?;
    }
    call.require(Permission::EventRead)?;
    let filter = EventFilter {
        inbox_id,
        event_types: query.words("event_types"),
        start: query.time("start"),
        end: query.time("end"),
        page: PageRequest::default(),
    };
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = events::list(call.app(), &call.caller, EventFilter { page: paging.request.clone(), ..filter }).await?;
    Ok(Json(EventList::new(page, &paging)))
}
