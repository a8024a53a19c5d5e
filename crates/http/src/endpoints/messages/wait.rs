//! `GET …/messages/wait`

use std::time::Duration;

use actix_web::web::Json;
use inboxd_core::app::messages::{self, MessageFilter};
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::model::{Direction, PageRequest};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::{IntoParams, ToSchema};

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::endpoints::messages::requested::requested;
use crate::live::until;
use crate::query::formats::{date_time, number, texts};
use crate::query::{IncludeParams, QueryReader, RecipientParams, query_params};
use crate::views::{BodyFormat, MessageView};

/// Maximum wait of a request, in seconds.
const MAX_MESSAGE_WAIT_SECONDS: u64 = 60;
/// Default wait, in seconds.
const DEFAULT_MESSAGE_WAIT_SECONDS: u64 = 30;

query_params! {
    /// Filter of the message that a caller waits for.
    pub(crate) struct AwaitedParams {
        /// Substrings of the sender. All must match; letter case is ignored.
        from: Vec<String> = texts(),
        /// Substrings of the subject. All must match; letter case is ignored.
        subject: Vec<String> = texts(),
        /// Only messages received strictly after this time; by default the time of the request. Use a time before the
        /// action that causes the message, so that a message that arrives before this request also matches.
        after: Option<OffsetDateTime> = date_time(),
    }
}

query_params! {
    /// Maximum wait.
    pub(crate) struct TimeoutParams {
        /// Maximum wait, in seconds.
        timeout: Option<u64> = number(0..=MAX_MESSAGE_WAIT_SECONDS).with_default(DEFAULT_MESSAGE_WAIT_SECONDS),
    }
}

/// Hiding labels that the message may have. [`IncludeParams`] reads them.
pub(crate) struct AwaitedLabels;

impl IntoParams for AwaitedLabels {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = "Whether messages with this label are included. The key must be allowed to read them.";
        IncludeParams::described(None, |_| description.to_owned())
    }
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
    params(AwaitedParams, TimeoutParams, AwaitedLabels, RecipientParams),
    responses((status = 200, description = "The message, or no message after the timeout", body = WaitResponse))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<WaitResponse> {
    let inbox_id = call.inbox_id();
    let mut query = call.query();
    let filter = filter(&mut query, call.app().clock.now());
    let TimeoutParams { timeout } = TimeoutParams::read(&mut query);
    let timeout = Duration::from_secs(timeout.unwrap_or(DEFAULT_MESSAGE_WAIT_SECONDS));
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
    let AwaitedParams { from, subject, after } = AwaitedParams::read(query);
    let include = IncludeParams::read(query);
    let RecipientParams { delivered_to, tag } = RecipientParams::read(query);
    MessageFilter {
        labels: vec!["received".to_owned()],
        // Includes messages that arrive in the millisecond of the request.
        after: Some(after.unwrap_or(now - time::Duration::MILLISECOND)),
        include,
        from,
        subject,
        delivered_to,
        tag,
        page: PageRequest { limit: 1, after: None, direction: Direction::Ascending },
        ..MessageFilter::default()
    }
}
