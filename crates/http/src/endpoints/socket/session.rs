//! WebSocket session: parses client frames and produces server frames.
//!
//! The frames are a stream, polled only when the connection can accept more. So nothing is queued for a client that
//! does not read; missed events remain in the feed.

use std::collections::VecDeque;
use std::future::pending;
use std::pin::Pin;
use std::time::Duration;

use actix_http::ws::{CloseCode, CloseReason, Codec, Frame, Item, Message, ProtocolError};
use actix_web::dev::Payload;
use actix_web::web;
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, stream};
use inboxd_core::app::feed::watch;
use tokio::time::{Instant, Sleep, sleep};
use tokio_util::codec::{Decoder, Encoder};

use super::messages::{self, SubscribeRequest};
use crate::connection::ConnectedClient;
use crate::error::ApiError;
use crate::live::{FeedFollower, FollowError, FollowedEvent, Subscriber};
use crate::state::State;

/// Interval of pings to the client (`wire.md`, section 6).
const PING_INTERVAL: Duration = Duration::from_secs(20);
/// Number of unanswered pings after which the client counts as disconnected.
const MAX_UNANSWERED_PINGS: u32 = 3;
/// Size of one client message.
const MAX_CLIENT_MESSAGE_BYTES: usize = 64 * 1024;

/// State of one connection.
struct SocketSession {
    seat: Subscriber,
    state: web::Data<State>,
    /// Client connection, absent if the request has no real one.
    client: Option<ConnectedClient>,
    incoming: Payload,
    codec: Codec,
    /// Received bytes of an incomplete frame.
    read: BytesMut,
    /// Joined parts of a fragmented message.
    parts: Option<BytesMut>,
    /// Messages to send before any event.
    ready: VecDeque<Message>,
    follower: Option<FeedFollower>,
    next_ping: Pin<Box<Sleep>>,
    unanswered: u32,
    is_closed: bool,
}

/// Event that the session must handle.
enum SocketEvent {
    Came(Bytes),
    Left,
    Followed(Result<FollowedEvent, FollowError>),
    PingIsDue,
    Lost(ApiError),
    Stopping,
}

/// Returns the frames of a connection until it ends.
pub(super) fn frames(
    seat: Subscriber,
    client: Option<ConnectedClient>,
    incoming: Payload,
    state: web::Data<State>,
) -> impl Stream<Item = Result<Bytes, ProtocolError>> {
    let session = SocketSession {
        seat,
        state,
        client,
        incoming,
        codec: Codec::new().max_size(MAX_CLIENT_MESSAGE_BYTES),
        read: BytesMut::new(),
        parts: None,
        ready: VecDeque::new(),
        follower: None,
        next_ping: Box::pin(sleep(PING_INTERVAL)),
        unanswered: 0,
        is_closed: false,
    };
    stream::unfold(session, async |mut session| {
        let message = session.next().await?;
        let mut frame = BytesMut::new();
        let encoded = session.codec.encode(message, &mut frame);
        Some((encoded.map(|()| frame.freeze()), session))
    })
}

impl SocketSession {
    /// Returns the next message; `None` at the end.
    async fn next(&mut self) -> Option<Message> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                self.is_closed = matches!(message, Message::Close(_));
                if self.is_closed
                    && let Some(client) = &self.client
                {
                    // The server closes first (RFC 6455, section 7.1.1).
                    client.end();
                }
                return Some(message);
            }
            if self.is_closed {
                return None;
            }
            match self.happens().await {
                SocketEvent::Came(bytes) => {
                    self.unanswered = 0;
                    self.read.extend_from_slice(&bytes);
                    self.answer_frames().await;
                }
                SocketEvent::Left => return None,
                SocketEvent::Followed(Ok(event)) => self.say(&event.json),
                SocketEvent::Followed(Err(FollowError::TooSlow)) => {
                    self.close(CloseCode::Again, "too slow: reconnect with after_event_id of the last event");
                }
                SocketEvent::Followed(Err(FollowError::Refused(error))) => self.end(&error),
                SocketEvent::Lost(error) => self.end(&error),
                SocketEvent::Stopping => self.close(CloseCode::Away, "the server stops; reconnect"),
                SocketEvent::PingIsDue if self.unanswered >= MAX_UNANSWERED_PINGS => return None,
                SocketEvent::PingIsDue => {
                    self.unanswered += 1;
                    self.next_ping.as_mut().reset(Instant::now() + PING_INTERVAL);
                    self.ready.push_back(Message::Ping(Bytes::new()));
                }
            }
        }
    }

    async fn happens(&mut self) -> SocketEvent {
        let Self { seat, incoming, follower, next_ping, .. } = self;
        let event = async {
            match follower {
                Some(follower) => follower.next(seat).await,
                None => pending().await,
            }
        };
        // Unbiased: a client that sends without pause still receives events.
        let either = async {
            tokio::select! {
                came = incoming.next() => match came {
                    Some(Ok(bytes)) => SocketEvent::Came(bytes),
                    Some(Err(_)) | None => SocketEvent::Left,
                },
                () = next_ping => SocketEvent::PingIsDue,
                event = event => SocketEvent::Followed(event),
            }
        };
        tokio::select! {
            biased;
            () = seat.stopping() => SocketEvent::Stopping,
            error = seat.lost() => SocketEvent::Lost(error),
            happened = either => happened,
        }
    }

    /// Handles every complete received frame.
    async fn answer_frames(&mut self) {
        while self.ready.iter().all(|message| !matches!(message, Message::Close(_))) {
            match self.codec.decode(&mut self.read) {
                Ok(Some(frame)) => self.answer(frame).await,
                Ok(None) => return,
                Err(ProtocolError::Overflow) => self.close(CloseCode::Size, "a message has at most 65536 bytes"),
                Err(error) => self.close(CloseCode::Protocol, &error.to_string()),
            }
        }
    }

    async fn answer(&mut self, frame: Frame) {
        match frame {
            Frame::Text(text) => self.subscribe(&text).await,
            Frame::Continuation(Item::FirstText(part)) => self.parts = Some(BytesMut::from(part.as_ref())),
            Frame::Continuation(Item::Continue(part)) => self.add(&part),
            Frame::Continuation(Item::Last(part)) => {
                self.add(&part);
                if let Some(whole) = self.parts.take() {
                    self.subscribe(&whole).await;
                }
            }
            Frame::Binary(_) | Frame::Continuation(Item::FirstBinary(_)) => {
                self.close(CloseCode::Unsupported, "messages are JSON in text frames");
            }
            Frame::Ping(bytes) => self.ready.push_back(Message::Pong(bytes)),
            Frame::Pong(_) => {}
            Frame::Close(reason) => self.ready.push_back(Message::Close(reason)),
        }
    }

    fn add(&mut self, part: &[u8]) {
        let Some(parts) = &mut self.parts else { return };
        if parts.len() + part.len() > MAX_CLIENT_MESSAGE_BYTES {
            self.close(CloseCode::Size, "a message has at most 65536 bytes");
        } else {
            parts.extend_from_slice(part);
        }
    }

    async fn subscribe(&mut self, text: &[u8]) {
        if let Err(error) = self.try_subscribe(text).await {
            self.say(messages::refused(&error, &self.state.base_url).as_bytes());
        }
    }

    /// Subscribes the client. A further subscription continues at the current position, unless the request names an
    /// event.
    async fn try_subscribe(&mut self, text: &[u8]) -> Result<(), ApiError> {
        let SubscribeRequest { subscription, after } = messages::read(text)?;
        let organization_id = self.seat.channel.organization_id;
        self.state.rates.keys.check(self.seat.key.standing()?.api_key_id, organization_id)?;
        let slot = self.state.admission.enter(organization_id).await?;
        self.seat.recheck().await?;
        let caller = self.seat.key.standing()?;
        let watched = watch(self.seat.app(), &caller, &subscription).await;
        let watched = watched.map_err(|error| ApiError::with_fix(error, &caller))?;
        let subscribed = messages::subscribed(&watched);
        match &mut self.follower {
            Some(follower) if after.is_none() => follower.watch(&self.seat, watched),
            _ => self.follower = Some(FeedFollower::new(&self.seat, watched, after).await?),
        }
        slot.finish();
        self.say(subscribed.as_bytes());
        Ok(())
    }

    fn say(&mut self, json: &[u8]) {
        // JSON is UTF-8.
        self.ready.push_back(Message::Text(String::from_utf8_lossy(json).into_owned().into()));
    }

    /// Sends the error and closes the connection.
    fn end(&mut self, error: &ApiError) {
        self.say(messages::refused(error, &self.state.base_url).as_bytes());
        self.close(CloseCode::Policy, &error.message);
    }

    fn close(&mut self, code: CloseCode, why: &str) {
        // A close reason has at most 123 bytes (RFC 6455, section 5.5).
        let why: String = why.chars().filter(char::is_ascii).take(120).collect();
        self.ready.push_back(Message::Close(Some(CloseReason { code, description: Some(why) })));
    }
}
