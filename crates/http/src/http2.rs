//! Limits of HTTP/2 connections: running requests, unread responses, and the end at shutdown (RFC 9113).
//!
//! The HTTP library limits none of these. A client that opens no window (section 6.9) would hold its responses forever.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use bytes::Bytes;
use prometheus_client::metrics::counter::Counter;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use crate::connection::ConnectedClient;
use crate::error::{ApiError, ErrorCode};
use crate::read_pace::ReadPace;

/// Maximum number of running requests of a connection; further ones are refused.
const MAX_STREAMS: usize = 256;
/// Number of responses, also of refused requests, that a client may leave unread. More close the connection.
const MAX_UNREAD_STREAMS: usize = 2 * MAX_STREAMS;
/// Maximum bytes of the fields of a request; HTTP/1.1 has a similar limit.
const MAX_HEADER_BYTES: usize = 64 * 1024;
/// Time for a client to accept a piece of a response of up to [`SMALL_RESPONSE_BYTES`] or of unknown length.
const STALL_TIMEOUT: Duration = Duration::from_mins(1);
/// Interval at which a connection is checked for stalled responses.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Requests within that interval; more close the connection, which would keep its thread busy.
const MAX_REQUESTS: u64 = 20_000;
/// Time after which a connection without requests is closed.
const IDLE_TIMEOUT: Duration = Duration::from_mins(5);
/// Size of a response above which the time-out of large responses applies. Below it streams may share a slow connection.
const SMALL_RESPONSE_BYTES: u64 = 1024 * 1024;
/// Interval at which a stopping server checks whether the last response of a connection is read.
const DRAIN_INTERVAL: Duration = Duration::from_millis(20);

/// Streams of a connection.
#[derive(Debug, Default)]
pub(crate) struct StreamTable {
    streams: Mutex<Streams>,
    /// Signal that more responses are unread than a client may leave.
    overflow: Notify,
}

#[derive(Debug, Default)]
struct Streams {
    next: u64,
    /// Running requests, with the time until which the client must accept the last piece of the response.
    running: HashMap<u64, Option<Instant>>,
    /// Number of responses without a body since the connection was last flushed. They leave `running` as soon as the
    /// library has them, also while the client reads nothing, so no limit of running streams covers them. Their bytes are
    /// not counted: compression shortens a repeated head to a few bytes (RFC 7541), and a reset stream writes none.
    unflushed: usize,
}

impl StreamTable {
    fn lock(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the client reads too slowly or leaves too many responses unread.
    fn is_stalled(&self) -> bool {
        let (streams, now) = (self.lock(), Instant::now());
        streams.running.len() > MAX_UNREAD_STREAMS
            || streams.unflushed > MAX_UNREAD_STREAMS
            || streams.running.values().any(|until| until.is_some_and(|until| until <= now))
    }

    /// Returns the number of requests so far.
    fn count(&self) -> u64 {
        self.lock().next
    }

    fn is_idle(&self) -> bool {
        self.lock().running.is_empty()
    }

    /// Counts a response without a body until the connection is flushed.
    fn add_unflushed(&self) {
        let mut streams = self.lock();
        streams.unflushed += 1;
        if streams.unflushed > MAX_UNREAD_STREAMS {
            self.overflow.notify_one();
        }
    }

    /// Records that the connection accepted all bytes of the library. It flushes the connection when it has nothing more
    /// to write, and while its buffer is full.
    pub(crate) fn set_flushed(&self) {
        self.lock().unflushed = 0;
    }
}

/// Running request of an HTTP/2 connection. Dropping it ends its count.
pub(crate) struct StreamGuard {
    client: ConnectedClient,
    number: u64,
}

impl StreamGuard {
    /// Counts a request; `None` for HTTP/1.1, which has one at a time.
    ///
    /// # Errors
    /// 503 while the connection has too many running requests, 431 with too large fields.
    pub(crate) fn enter(request: &ServiceRequest) -> (Option<Self>, Result<(), ApiError>) {
        let client = request.conn_data::<ConnectedClient>();
        let Some((client, table)) = client.and_then(|client| Some((client, client.streams()?))) else {
            return (None, Ok(()));
        };
        let mut streams = table.lock();
        let number = streams.next;
        streams.next += 1;
        streams.running.insert(number, None);
        let running = streams.running.len();
        drop(streams);
        if running > MAX_UNREAD_STREAMS {
            table.overflow.notify_one();
        }
        let is_full = running > MAX_STREAMS;
        let guard = Self { client: client.clone(), number };
        let header_bytes: usize =
            request.headers().iter().map(|(name, value)| name.as_str().len() + value.as_bytes().len()).sum();
        let admitted = if header_bytes > MAX_HEADER_BYTES {
            Err(ApiError::new(ErrorCode::HeadersTooLarge, "the head of the request is too large"))
        } else if is_full {
            Err(ApiError::too_many_streams(MAX_STREAMS))
        } else {
            Ok(())
        };
        (Some(guard), admitted)
    }

    /// Keeps the count until the response is passed to the client. `stall_timeout` applies to a large response.
    pub(crate) fn hold(self, response: ServiceResponse<BoxBody>, stall_timeout: Duration) -> ServiceResponse<BoxBody> {
        response.map_body(|_, body| {
            let pace = match body.size() {
                BodySize::Sized(SMALL_RESPONSE_BYTES..) => Some(ReadPace::new(stall_timeout)),
                BodySize::Sized(_) => Some(ReadPace::new(STALL_TIMEOUT)),
                _ => None,
            };
            BoxBody::new(StreamBody { body, guard: self, pace, is_polled: false })
        })
    }

    fn set_deadline(&self, deadline: Option<Instant>) {
        if let Some(table) = self.client.streams()
            && let Some(current) = table.lock().running.get_mut(&self.number)
        {
            *current = deadline;
        }
    }
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        if let Some(table) = self.client.streams() {
            table.lock().running.remove(&self.number);
        }
    }
}

/// Response body of a stream. It is polled again only after the client accepted the piece before.
struct StreamBody {
    body: BoxBody,
    guard: StreamGuard,
    /// Pace at which a response of known length must be read.
    pace: Option<ReadPace>,
    /// Whether the library has asked for the body; it drops that of a response without one, and of HEAD.
    is_polled: bool,
}

impl StreamBody {
    /// Returns the time until which the client must accept a piece.
    fn deadline_of(&mut self, bytes: usize) -> Instant {
        let Some(pace) = &mut self.pace else { return Instant::now() + STALL_TIMEOUT };
        let deadline = pace.deadline();
        pace.record(bytes);
        deadline
    }
}

impl Drop for StreamBody {
    fn drop(&mut self) {
        if !self.is_polled
            && let Some(table) = self.guard.client.streams()
        {
            table.add_unflushed();
        }
    }
}

impl MessageBody for StreamBody {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        self.is_polled = true;
        let polled = Pin::new(&mut self.body).poll_next(cx);
        match &mut self.pace {
            Some(pace) if polled.is_pending() => pace.pause(),
            Some(pace) => pace.resume(),
            None => {}
        }
        let deadline = match &polled {
            Poll::Ready(Some(Ok(piece))) => Some(self.deadline_of(piece.len())),
            _ => None,
        };
        self.guard.set_deadline(deadline);
        polled
    }
}

/// Completes when a connection must be closed: its client does not read, or the server stops and no response is left.
pub(crate) async fn until_closed(client: ConnectedClient, slow_readers: Counter, stops: impl Future<Output = ()>) {
    let Some(table) = client.streams() else { return std::future::pending().await };
    let stalls = async {
        let (mut known, mut last_request) = (0, Instant::now());
        while !table.is_stalled() {
            let _ = timeout(CHECK_INTERVAL, table.overflow.notified()).await;
            let count = table.count();
            if count - known > MAX_REQUESTS {
                break;
            }
            if count > known || !table.is_idle() {
                last_request = Instant::now();
            } else if last_request.elapsed() >= IDLE_TIMEOUT {
                break;
            }
            known = count;
        }
        if table.is_stalled() {
            slow_readers.inc();
        }
        tracing::debug!("stalled or idle HTTP/2 connection closed");
    };
    let drained = async {
        stops.await;
        while !table.is_idle() {
            sleep(DRAIN_INTERVAL).await;
        }
    };
    tokio::select! {
        () = stalls => {}
        () = drained => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn connection_stalls_with_old_piece_or_many_streams() {
        let table = StreamTable::default();
        let until = Instant::now() + STALL_TIMEOUT;
        table.lock().running.extend([(0, None), (1, Some(until))]);
        tokio::time::advance(STALL_TIMEOUT.saturating_sub(Duration::from_secs(1))).await;
        assert!(!table.is_stalled() && !table.is_idle());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(table.is_stalled(), "the piece was not accepted in time");
        table.lock().running = (0..).zip(std::iter::repeat_n(None, MAX_UNREAD_STREAMS)).collect();
        assert!(!table.is_stalled());
        table.lock().running.insert(u64::MAX, None);
        assert!(table.is_stalled());
    }

    #[test]
    fn unflushed_responses_without_body_stall_connection() {
        let client = ConnectedClient::new(true, true);
        let Some(table) = client.streams() else { panic!("HTTP/2 has streams") };
        let respond = || {
            let guard = StreamGuard { client: client.clone(), number: 0 };
            drop(StreamBody { body: BoxBody::new(""), guard, pace: None, is_polled: false });
        };
        for _ in 0..MAX_UNREAD_STREAMS {
            respond();
        }
        assert!(!table.is_stalled());
        respond();
        assert!(table.is_stalled());
        table.set_flushed();
        assert!(!table.is_stalled(), "all were written or belong to reset streams");
    }
}
