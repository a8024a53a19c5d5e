//! `GET /v0/webhooks/polling/{webhook_id}/events`

use std::time::Duration;

use actix_web::web::Json;
use inboxd_core::app::feed::{FeedCredential, NextPage};
use inboxd_core::app::webhooks::{authenticate_polling, read_polling, watched};
use inboxd_core::model::{Caller, Direction, Page, PollingToken, PollingWebhook};
use inboxd_core::ports::FeedPage;
use inboxd_core::{Error, Resource};

use crate::auth::{AuthenticatedRequest, UnauthenticatedRequest, bearer};
use crate::endpoints::JsonResult;
use crate::endpoints::events::list::{MAX_WAIT_SECONDS, cursor_of, event_id, place_of};
use crate::error::ApiError;
use crate::live::{WaitingCaller, wait_for_page};
use crate::query::formats::{number, text};
use crate::query::{PageParams, query_params};
use crate::views::EventList;

query_params! {
    /// Position of a poll and its wait.
    pub(crate) struct PollParams {
        /// Id of the last event that the client has processed; by default the events begin with the subscription.
        after_event_id: Option<String> = text(),
        /// Maximum wait for an event if there is none yet, in seconds.
        wait: Option<u64> = number(0..=MAX_WAIT_SECONDS),
    }
}

#[utoipa::path(
    get,
    path = "/v0/webhooks/polling/{webhook_id}/events",
    operation_id = "poll_events",
    tag = "Webhooks",
    summary = "Poll events",
    description = "Returns the events of a polling webhook after `after_event_id`, or since its creation, oldest first and each once. With `wait` the request waits for an event if there is none yet. Send the token as `Authorization: Bearer poll_…`; it reads these events and nothing else.",
    params(PollParams, PageParams),
    responses(
        (status = 200, description = "A page of events", body = EventList),
        (status = 400, description = "The event is older than the retained events"),
        (status = 401, description = "No token, or an unknown one"),
        (status = 429, description = "Too many requests of the organization")
    ),
    security(())
)]
pub(crate) async fn handle(call: UnauthenticatedRequest) -> JsonResult<EventList> {
    let token_hash = bearer(&call.request).map(PollingToken::hash_of).ok_or_else(ApiError::missing_authorization)?;
    let (webhook, reader) = authenticate_polling(call.app(), token_hash).await?;
    let call = call.authenticated_as(reader, token_hash).await?;
    let webhook_id = call.webhook_id()?;
    if webhook_id != webhook.webhook_id {
        return Err(Error::not_found(Resource::Webhook, webhook_id).into());
    }
    let mut query = call.query();
    let PollParams { after_event_id, wait } = PollParams::read(&mut query);
    let after = after_event_id.filter(|id| !id.trim().is_empty());
    let patience = wait.map(Duration::from_secs).unwrap_or_default();
    let paging = query.page(&call, Direction::Ascending)?;
    let after = match (&paging.request.after, after) {
        (Some(place), _) => NextPage::From(place_of(place)),
        (None, Some(id)) => NextPage::Behind(event_id(&id)?),
        (None, None) => NextPage::From(webhook.start),
    };
    let page = read_or_wait(&call, &webhook, after, paging.request.limit, patience).await?;
    let next = (!page.is_end).then(|| cursor_of(page.place));
    let items = page.events.into_iter().map(|(_, event)| event).collect();
    Ok(Json(EventList::new(Page { items, next }, &paging)))
}

/// Returns the events after a position, at once or as soon as one exists.
async fn read_or_wait(
    call: &AuthenticatedRequest,
    webhook: &PollingWebhook,
    after: NextPage,
    limit: u32,
    patience: Duration,
) -> Result<FeedPage, ApiError> {
    let caller = WaitingCaller {
        state: call.state(),
        caller: &call.caller,
        credential: FeedCredential::Polling(call.key_hash),
        rest: || call.rest(),
    };
    let watched = watched(webhook);
    let read = async |reader: &Caller, after| read_polling(call.app(), webhook, reader, after, limit).await;
    wait_for_page(caller, patience, after, |event| watched.holds(event), read).await
}
