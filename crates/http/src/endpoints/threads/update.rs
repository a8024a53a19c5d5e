//! `PATCH …/threads/{thread_id}`

use actix_web::web::Json;
use inboxd_core::app::threads::{self, Assignment, ThreadChange};
use inboxd_core::model::permissions::MessageUpdate;

use crate::authorized::Authorized;
use crate::body::{LabelNames, Nullable, StringList, request};
use crate::endpoints::JsonResult;
use crate::views::ThreadItemView;

request! {
    /// Changes of a thread; absent fields keep their value.
    pub(crate) struct ThreadChangeRequest {
        /// Assignee: `me`, the id of a member or API key, or null for none.
        #[schema(value_type = Option<String>)]
        assignee_id: Nullable<String>,
        /// Labels to add to every message.
        add_labels: Option<StringList>,
        /// Labels to remove from every message.
        remove_labels: Option<StringList>,
    }
}

/// Returns the assignment that a request names.
pub(crate) fn assignment(assignee_id: Nullable<String>) -> Option<Assignment> {
    match assignee_id {
        Nullable::Absent => None,
        Nullable::Null => Some(Assignment::Nobody),
        Nullable::Value(id) if id == "me" => Some(Assignment::Me),
        Nullable::Value(id) => Some(Assignment::Id(id)),
    }
}

#[utoipa::path(
    patch,
    path = "/v0/inboxes/{inbox_id}/threads/{thread_id}",
    operation_id = "update_thread",
    tag = "Threads",
    summary = "Update thread",
    description = "Changes the assignee of a thread and the labels of all its messages.",
    request_body = ThreadChangeRequest,
    responses((status = 200, description = "The thread, without its messages", body = ThreadItemView))
)]
pub(crate) async fn handle(mut call: Authorized<MessageUpdate>) -> JsonResult<ThreadItemView> {
    let read = call.body::<ThreadChangeRequest>().await?.map(|request| {
        let ThreadChangeRequest { assignee_id, add_labels, remove_labels } = request;
        (assignment(assignee_id), LabelNames::new(add_labels, remove_labels))
    });
    let (assignee, labels) = read.checked(|(_, labels)| labels.problems())?;
    let change = ThreadChange { labels: labels.change()?, assignee };
    let thread = threads::update(call.app(), &call.caller, call.thread_id()?, change).await?;
    Ok(Json(thread.into()))
}
