//! `GET /v0/events` as a stream of Server-Sent Events.

use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use bytes::Bytes;
use futures_util::stream;
use inboxd_core::Error;
use inboxd_core::app::events::EventFilter;
use inboxd_core::app::feed::{Subscription, watch_all};
use inboxd_core::model::EventId;

use crate::auth::AuthenticatedRequest;
use crate::error::{ApiError, json};
use crate::live::{FeedFollower, FollowError, FollowedEvent, Subscriber};

/// How long nothing is said at most: whoever stands between may take a silent connection for a dead one.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// What a stream begins with: how soon a client comes back whose connection broke.
const HELLO: &str = "retry: 1000\n\n";

/// Proxies pass on each event as it comes.
const NOT_BUFFERED: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// One stream.
struct EventStream {
    seat: Subscriber,
    follower: FeedFollower,
    base_url: Arc<str>,
    said_hello: bool,
    is_over: bool,
}

/// Answers a stream that goes on until the client leaves.
pub(super) async fn stream(
    call: AuthenticatedRequest,
    filter: EventFilter,
    after: Option<EventId>,
) -> Result<HttpResponse, ApiError> {
    let subscription = Subscription {
        event_types: filter.event_types,
        inbox_ids: filter.inbox_id.into_iter().collect(),
        pod_ids: Vec::new(),
    };
    let watched = watch_all(call.app(), &call.caller, &subscription).await?;
    let seat = call.state().live.enter(&call.caller, call.key_hash)?;
    let follower = FeedFollower::new(&seat, watched, after).await?;
    let base_url = call.state().base_url.clone();
    call.rest();
    let streaming = EventStream { seat, follower, base_url, said_hello: false, is_over: false };
    let mut answer = HttpResponse::Ok();
    answer.content_type("text/event-stream; charset=utf-8").insert_header(NOT_BUFFERED);
    Ok(answer.streaming(stream::unfold(streaming, async |mut streaming| {
        let said = streaming.next().await?;
        Some((Ok::<_, Error>(said), streaming))
    })))
}

impl EventStream {
    /// What is said next; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        if !self.said_hello {
            self.said_hello = true;
            return Some(Bytes::from_static(HELLO.as_bytes()));
        }
        let event = tokio::select! {
            event = self.follower.next(&self.seat) => event,
            refusal = self.seat.lost() => Err(FollowError::Refused(Box::new(refusal))),
            () = self.seat.stopping() => return None,
            () = tokio::time::sleep(KEEP_ALIVE_INTERVAL) => return Some(Bytes::from_static(b": still here\n\n")),
        };
        match event {
            Ok(FollowedEvent { event_id, json }) => {
                Some([format!("id: {event_id}\ndata: ").as_bytes(), &json, b"\n\n"].concat().into())
            }
            // The client comes back by itself and names the last event that it has.
            Err(FollowError::TooSlow) => None,
            Err(FollowError::Refused(error)) => {
                self.is_over = true;
                Some(format!("event: error\ndata: {}\n\n", json(&error, &self.base_url)).into())
            }
        }
    }
}
