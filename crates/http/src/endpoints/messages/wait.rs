//! `GET …/messages/wait`

use std::time::Duration;

use actix_web::web::Json;
use inboxd_core::app::messages::{self, MessageFilter};
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::model::{Direction, PageRequest};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::endpoints::messages::requested::requested;
use crate::live::until;
use crate::query::QueryReader;
use crate::query_docs::RecipientParams;
use crate::views::{BodyFormat, MessageView};

/// Maximum wait of a request, in seconds.
const MAX_MESSAGE_WAIT_SECONDS: u64 = 60;
/// Default wait, in seconds.
const DEFAULT_MESSAGE_WAIT_SECONDS: u64 = 30;

/// Filter and maximum wait.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "this struct only describes parameters")]
pub(crate) struct WaitParams {
    /// Substrings of the sender. All must match; letter case is ignored.
    from: Option<Vec<String>>,
    /// Substrings of the subject. All must match; letter case is ignored.
    subject: Option<Vec<String>>,
    /// Only messages received strictly after this time; by default the time of the request. Use a time before the
    /// action that causes the message, so that a message that arrives before this request also matches.
    #[param(format = DateTime)]
    after: Option<String>,
    /// Maximum wait, in seconds.
    #[param(minimum = 0, maximum = 60, default = 30)]
    timeout: Option<u64>,
    /// Whether messages with this label are included. The key must be allowed to read them.
    include_spam: Option<bool>,
    /// Whether messages with this label are included. The key must be allowed to read them.
    include_blocked: Option<bool>,
    /// Whether messages with this label are included. The key must be allowed to read them.
    include_unauthenticated: Option<bool>,
    /// Whether messages with this label are included. The key must be allowed to read them.
    include_trash: Option<bool>,
    /// Whether messages with this label are included. The key must be allowed to read them.
    include_held: Option<bool>,
}

/// Result of the wait.
#[derive(Serialize, ToSchema)]
#[schema(as = Waited)]
pub(crate) struct WaitResponse {
    /// Oldest matching message; absent if none arrived in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    message: Option<MessageView>,
}

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/messages/wait",
    operation_id = "wait_for_message",
    tag = "Messages",
    summary = "Wait for message",
    description = "Returns the oldest matching received message as soon as it is stored, at once if it exists already. After the timeout the response has no `message`.",
    params(WaitParams, RecipientParams),
    responses((status = 200, description = "The message, or no message after the timeout", body = WaitResponse))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<WaitResponse> {
    let inbox_id = call.inbox_id();
    let mut query = call.query();
    let filter = filter(&mut query, call.app().clock.now());
    let timeout = Duration::from_secs(
        query.number("timeout", 0..=MAX_MESSAGE_WAIT_SECONDS).unwrap_or(DEFAULT_MESSAGE_WAIT_SECONDS),
    );
    query.finish()?;
    let (app, inbox_id) = (call.app(), &inbox_id);
    let waited = until(
        &call,
        timeout,
        |event| event.inbox_id.as_ref() == Some(inbox_id),
        |caller| {
            let filter = filter.clone();
            async move { Ok(messages::first(app, &caller, inbox_id, filter).await?) }
        },
    );
    let message = match waited.await? {
        Some(found) => Some(requested(&call, found, BodyFormat::Text).await?),
        None => None,
    };
    Ok(Json(WaitResponse { message }))
}

/// Reads the filter of the message that a caller waits for.
pub(crate) fn filter(query: &mut QueryReader, now: OffsetDateTime) -> MessageFilter {
    MessageFilter {
        labels: vec!["received".to_owned()],
        // Includes messages that arrive in the millisecond of the request.
        after: Some(query.time("after").unwrap_or(now - time::Duration::MILLISECOND)),
        include: query.include(),
        from: query.texts("from"),
        subject: query.texts("subject"),
        delivered_to: query.text("delivered_to"),
        tag: query.text("tag"),
        page: PageRequest { limit: 1, after: None, direction: Direction::Ascending },
        ..MessageFilter::default()
    }
}
