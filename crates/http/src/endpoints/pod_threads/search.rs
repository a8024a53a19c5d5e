//! `GET /v0/pods/{pod_id}/threads/search`

use actix_web::web::Json;
use inboxd_core::app::{
    pods,
    threads::{self, ThreadFilter},
};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::threads::search::filter;
use crate::query_docs::{LabelParams, OrderParams, PageParams, SearchParams, SpanParams};
use crate::views::ThreadList;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/threads/search",
    operation_id = "search_pod_threads",
    tag = "Threads",
    summary = "Search the threads of a pod",
    description = "Lists the threads in the inboxes of a pod, with a message that holds a text in sender, recipients, subject or text, newest first. Needs `message_read`.",
    params(("pod_id" = String, Path, description = "The pod"), SearchParams, PageParams, OrderParams, SpanParams, LabelParams),
    responses((status = 200, description = "A page of threads", body = ThreadList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<ThreadList> {
    let pod_id = call.pod(Permission::MessageRead)?;
    let mut query = call.query();
    let filter = filter(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let filter = ThreadFilter { page: paging.request.clone(), ..filter };
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let page = threads::list_across(call.app(), &within, filter).await?;
    Ok(Json(ThreadList::new(page, &paging)))
}
