//! `PATCH /v0/inboxes/{inbox_id}/threads/{thread_id}`

use actix_web::web::Json;
use inboxd_core::app::threads::{self, Assignment, ThreadChange};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::{LabelNames, Nullable, Strings, request};
use crate::endpoints::Answer;
use crate::error::ApiError;
use crate::views::ThreadItem;

request! {
    /// What to change; what is absent stays.
    pub(crate) struct ThreadChangeRequest {
        /// Whose the thread is: `me`, the id of a member or key, or null for nobody.
        #[schema(value_type = Option<String>)]
        assignee_id: Nullable<String>,
        /// Labels to add to every message.
        add_labels: Option<Strings>,
        /// Labels to take away from every message.
        remove_labels: Option<Strings>,
    }
}

/// Reads the change that a call asks for, the same way whatever path led to the thread.
pub(crate) async fn thread_change(call: &mut Authenticated) -> Result<ThreadChange, ApiError> {
    let read = call.body::<ThreadChangeRequest>().await?.map(|request| {
        let ThreadChangeRequest { assignee_id, add_labels, remove_labels } = request;
        (assignment(assignee_id), LabelNames::new(add_labels, remove_labels))
    });
    let (assignee, labels) = read.checked(|(_, labels)| labels.problems())?;
    Ok(ThreadChange { labels: labels.change()?, assignee })
}

fn assignment(assignee_id: Nullable<String>) -> Option<Assignment> {
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
    summary = "Label or assign a thread",
    description = "Needs `message_update`.",
    params(
        ("inbox_id" = String, Path, description = "The inbox"),
        ("thread_id" = String, Path, description = "The thread")
    ),
    request_body = ThreadChangeRequest,
    responses((status = 200, description = "The thread, without its messages", body = ThreadItem))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<ThreadItem> {
    let inbox_id = call.inbox(Permission::MessageUpdate)?;
    let change = thread_change(&mut call).await?;
    let thread = threads::update(call.app(), &call.caller, &inbox_id, call.thread_id()?, change).await?;
    Ok(Json(thread.into()))
}
