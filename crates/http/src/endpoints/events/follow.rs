//! `GET /v0/events` as a stream of Server-Sent Events.

use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use bytes::Bytes;
use futures_util::stream;
use inboxd_core::Error;
use inboxd_core::app::events::EventFilter;
use inboxd_core::app::feed::{FeedCredential, Subscription, watch_all};
use inboxd_core::model::EventId;

use crate::auth::AuthenticatedRequest;
use crate::error::{ApiError, json};
use crate::live::{FeedFollower, FollowError, FollowedEvent, Subscriber};

/// Silence on the stream after which a keep-alive is sent: proxies may close a silent connection.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// First bytes of a stream: the reconnection delay of the client.
const HELLO: &str = "retry: 1000\n\n";

/// Header that stops proxies from buffering events.
const NOT_BUFFERED: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// State of one event stream.
struct EventStream {
    seat: Subscriber,
    follower: FeedFollower,
    base_url: Arc<str>,
    greeted: bool,
    is_over: bool,
}

/// Returns a response that streams events until the client disconnects or the credential loses its access.
pub(crate) async fn stream(
    call: &AuthenticatedRequest,
    credential: impl Into<FeedCredential>,
    filter: EventFilter,
    after: Option<EventId>,
) -> Result<HttpResponse, ApiError> {
    let subscription = Subscription {
        event_types: filter.event_types,
        trust: filter.trust,
        inbox_ids: filter.inbox_id.into_iter().collect(),
        pod_ids: Vec::new(),
    };
    let watched = watch_all(call.app(), &call.caller, &subscription).await?;
    let seat = call.state().live.enter(&call.caller, credential)?;
    let follower = FeedFollower::new(&seat, watched, after).await?;
    let base_url = call.state().base_url.clone();
    call.rest();
    let streaming = EventStream { seat, follower, base_url, greeted: false, is_over: false };
    let mut answer = HttpResponse::Ok();
    answer.content_type("text/event-stream; charset=utf-8").insert_header(NOT_BUFFERED);
    Ok(answer.streaming(stream::unfold(streaming, async |mut streaming| {
        let piece = streaming.next().await?;
        Some((Ok::<_, Error>(piece), streaming))
    })))
}

impl EventStream {
    /// Returns the next bytes; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        if !self.greeted {
            self.greeted = true;
            return Some(Bytes::from_static(HELLO.as_bytes()));
        }
        let event = tokio::select! {
            event = self.follower.next(&self.seat) => event,
            refusal = self.seat.lost() => Err(FollowError::Refused(Box::new(refusal))),
            () = self.seat.stopping() => return None,
            () = tokio::time::sleep(KEEP_ALIVE_INTERVAL) => return Some(Bytes::from_static(b": still here\n\n")),
        };
        match event {
            Ok(FollowedEvent { event_id, json, .. }) => {
                Some([format!("id: {event_id}\ndata: ").as_bytes(), &json, b"\n\n"].concat().into())
            }
            // The client reconnects by itself and names its last event.
            Err(FollowError::TooSlow) => None,
            Err(FollowError::Refused(error)) => {
                self.is_over = true;
                Some(format!("event: error\ndata: {}\n\n", json(&error, &self.base_url)).into())
            }
        }
    }
}
