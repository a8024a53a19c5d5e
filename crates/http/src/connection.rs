//! Client connections that track whether the client received its response.
//!
//! Written bytes may never be read. A client that has closed its side before a response counts as gone. A client that
//! closes with unread bytes resets the connection (RFC 9293, section 3.6.1).
//!
//! A client that does not read would occupy its connection and the write buffers forever, so a stalled write times out.

use std::future::Future;
use std::io::{ErrorKind, Result};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::http::StatusCode;
use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::client_stream::ClientStream;
use crate::connection_limits::ConnectionPermit;
use crate::http2::StreamTable;
use crate::metrics::OpenConnection;
use crate::parser_refusal;
use crate::read_pace::ReadPace;
use crate::retry_dedup::DeliveryReceipt;
use crate::unread_responses::UnreadResponses;

/// Time for which a write may make no progress.
const WRITE_STALL_TIMEOUT: Duration = Duration::from_mins(1);

/// Guards of the counts of a connection.
pub(crate) type CountedConnection = (Option<ConnectionPermit>, OpenConnection);

/// A connection of a client, with or without TLS.
pub(crate) struct Connection {
    stream: ClientStream,
    client: ConnectedClient,
    /// Share of the connection limits, `None` for a trusted proxy, and the connection in the metrics.
    counted: CountedConnection,
    /// Timer that runs while a write makes no progress.
    stall: Option<Pin<Box<Sleep>>>,
    /// Renderer of the response to a request that the HTTP parser refuses.
    refuse: RefusalRenderer,
    /// Unwritten rest of that response.
    refusal: Option<Bytes>,
    /// Whether the parser has failed, so that the connection ends after that response.
    has_failed: bool,
}

/// Function that renders the response to a request that the HTTP parser refuses.
pub(crate) type RefusalRenderer = Arc<dyn Fn(StatusCode) -> Vec<u8> + Send + Sync>;

/// Shared state of the client of a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectedClient(Arc<ClientState>);

#[derive(Debug, Default)]
struct ClientState {
    is_gone: AtomicBool,
    /// Whether the connection closes after the current write.
    ends: AtomicBool,
    /// Whether the response has contents from messages or files, which may resemble a parser refusal.
    has_foreign_content: AtomicBool,
    /// Whether TLS protects the connection.
    is_secure: bool,
    /// Streams of an HTTP/2 connection; `None` for HTTP/1.1.
    streams: Option<StreamTable>,
    /// Pace at which the client must read the current response, if it is large.
    read_pace: Mutex<Option<ReadPace>>,
    /// Responses with a receipt, until the client shows that it read them.
    unread: UnreadResponses,
}

impl Connection {
    /// Creates a connection that is counted until it is closed.
    pub(crate) fn new(stream: ClientStream, counted: CountedConnection, refuse: RefusalRenderer) -> Self {
        let client = ConnectedClient::new(stream.is_secure(), stream.is_http2());
        Self { stream, client, counted, stall: None, refuse, refusal: None, has_failed: false }
    }

    /// Returns whether both sides agreed on HTTP/2.
    pub(crate) fn is_http2(&self) -> bool {
        self.client.streams().is_some()
    }

    /// Completes when a write made no progress for too long.
    fn poll_stall(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let until = self.client.read_deadline().unwrap_or_else(|| Instant::now() + WRITE_STALL_TIMEOUT);
        self.stall.get_or_insert_with(|| Box::pin(sleep_until(until))).as_mut().poll(cx)
    }

    /// Recognizes a client that closed its side before its response is written: the response counts as lost. Later such a
    /// close means that the client has read it. On HTTP/2 the write may be for another stream, so flushed responses count as
    /// read.
    fn check_open(&mut self, cx: &mut Context<'_>) {
        if !self.client.awaits_write() || !self.stream.has_ended(cx) {
            return;
        }
        if self.is_http2() {
            self.client.has_left();
        } else {
            self.client.has_broken_off();
        }
    }

    fn poll_write_some(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write(cx, bytes) else {
            ready!(self.poll_stall(cx));
            self.counted.1.count_slow_reader();
            self.client.has_broken_off();
            return Poll::Ready(Err(ErrorKind::TimedOut.into()));
        };
        self.stall = None;
        match &written {
            Ok(bytes) => self.client.record_written(*bytes),
            Err(_) => self.client.has_broken_off(),
        }
        Poll::Ready(written)
    }

    /// Writes the response to a refused request in place of `replaced` bytes.
    fn poll_refusal(&mut self, cx: &mut Context<'_>, replaced: usize) -> Poll<Result<usize>> {
        while let Some(mut left) = self.refusal.take().filter(|left| !left.is_empty()) {
            match self.poll_write_some(cx, &left) {
                Poll::Ready(Ok(written)) => {
                    left.advance(written);
                    self.refusal = Some(left);
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    self.refusal = Some(left);
                    return Poll::Pending;
                }
            }
        }
        Poll::Ready(Ok(replaced))
    }

    /// Returns the shared state of the client.
    pub(crate) fn client(&self) -> ConnectedClient {
        self.client.clone()
    }
}

impl ConnectedClient {
    pub(crate) fn new(is_secure: bool, is_http2: bool) -> Self {
        Self(Arc::new(ClientState {
            is_secure,
            streams: is_http2.then(StreamTable::default),
            // HTTP/2 refuses by frames, which no envelope can replace.
            has_foreign_content: AtomicBool::new(is_http2),
            ..ClientState::default()
        }))
    }

    /// Returns whether TLS protects the connection.
    pub(crate) fn is_secure(&self) -> bool {
        self.0.is_secure
    }

    /// Returns the streams of an HTTP/2 connection; `None` for HTTP/1.1.
    pub(crate) fn streams(&self) -> Option<&StreamTable> {
        self.0.streams.as_ref()
    }

    /// Stores the receipt of a completely polled response.
    pub(crate) fn given(&self, mut receipt: DeliveryReceipt) {
        if self.0.is_gone.load(Ordering::Acquire) {
            // Dropping the receipt records the response as lost.
            return;
        }
        receipt.delivered();
        // Each response of HTTP/1.1 ends before the next request is read, so that it counts as flushed at once.
        self.0.unread.add(receipt, self.0.streams.is_none());
    }

    /// Closes the connection after the next write; otherwise the server would wait for more requests of the client.
    pub(crate) fn end(&self) {
        self.0.ends.store(true, Ordering::Release);
    }

    /// Sets the pace at which the client must read the response that follows. HTTP/2 limits each stream, see
    /// [`StreamTable`].
    pub(crate) fn set_read_pace(&self, pace: Option<ReadPace>) {
        if self.0.streams.is_none() {
            *self.read_pace() = pace;
        }
    }

    /// Sets whether the client waits for bytes of the response, which is not its delay.
    pub(crate) fn set_waiting(&self, is_waiting: bool) {
        match self.read_pace().as_mut() {
            Some(pace) if is_waiting => pace.pause(),
            Some(pace) => pace.resume(),
            None => {}
        }
    }

    fn read_pace(&self) -> MutexGuard<'_, Option<ReadPace>> {
        self.0.read_pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_deadline(&self) -> Option<Instant> {
        self.read_pace().as_ref().map(ReadPace::deadline)
    }

    fn record_written(&self, bytes: usize) {
        if let Some(pace) = self.read_pace().as_mut() {
            pace.record(bytes);
        }
    }

    /// Disables the detection of parser refusals, because a response with foreign contents follows.
    pub(crate) fn expect_foreign_content(&self) {
        self.0.has_foreign_content.store(true, Ordering::Relaxed);
    }

    /// Records that the client closed normally.
    fn has_left(&self) {
        self.0.is_gone.store(true, Ordering::Release);
        self.0.unread.lose_unflushed();
    }

    fn has_broken_off(&self) {
        self.0.is_gone.store(true, Ordering::Release);
        self.0.unread.lose_all();
    }

    /// Records a failed read. TLS reports a client that closes without `close_notify` as an unexpected end. Many clients
    /// close so after they have read everything, and a reset has another error.
    fn has_failed_reading(&self, error: ErrorKind) {
        if error == ErrorKind::UnexpectedEof {
            self.has_left();
        } else {
            self.has_broken_off();
        }
    }

    /// Returns whether a response may be unwritten. For HTTP/1.1 each response without a sign of the client counts.
    fn awaits_write(&self) -> bool {
        if self.0.streams.is_some() { self.0.unread.has_unflushed() } else { !self.0.unread.is_empty() }
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let read = ready!(Pin::new(&mut self.stream).poll_read(cx, buffer));
        match &read {
            Ok(()) if buffer.filled().len() > before => self.client.0.unread.remove_flushed(),
            Ok(()) if room == 0 => {}
            Ok(()) => self.client.has_left(),
            Err(error) => self.client.has_failed_reading(error.kind()),
        }
        Poll::Ready(read)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let line = &mut *self;
        line.check_open(cx);
        if line.refusal.is_some() {
            return line.poll_refusal(cx, bytes.len());
        }
        match parser_refusal::find(bytes).filter(|_| !line.client.0.has_foreign_content.load(Ordering::Relaxed)) {
            None => line.poll_write_some(cx, bytes),
            Some((0, status)) => {
                // After a time-out the parser ends the connection itself.
                line.has_failed = status != StatusCode::REQUEST_TIMEOUT;
                line.refusal = Some((line.refuse)(status).into());
                line.poll_refusal(cx, bytes.len())
            }
            Some((start, _)) => line.poll_write_some(cx, bytes.get(..start).unwrap_or(bytes)),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        if let Some(table) = self.client.streams() {
            table.set_flushed();
            self.client.0.unread.set_flushed();
        }
        if self.has_failed {
            // The HTTP server would log the fault of the client as an error, but not a connection that has ended.
            let _ = Pin::new(&mut self.stream).poll_shutdown(cx);
            return Poll::Ready(Err(ErrorKind::ConnectionAborted.into()));
        }
        if self.client.0.ends.load(Ordering::Acquire) {
            return Pin::new(&mut self.stream).poll_shutdown(cx);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::unread_responses::tests::{is_lost, receipt, sends};

    #[tokio::test]
    async fn connection_disables_nagle() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (client, served) = tokio::join!(TcpStream::connect(listener.local_addr().unwrap()), listener.accept());
        let (_client, (served, _)) = (client.unwrap(), served.unwrap());
        assert!(!served.nodelay().unwrap());
        let ClientStream::Plain(stream) = ClientStream::plain(served) else { panic!("no TLS") };
        assert!(stream.nodelay().unwrap());
    }

    #[test]
    fn tls_close_without_notify_loses_no_response_and_reset_does() {
        for (error, expected) in [(ErrorKind::UnexpectedEof, false), (ErrorKind::ConnectionReset, true)] {
            let (client, sends) = (ConnectedClient::new(true, false), sends());
            client.given(receipt(&sends, 1));
            client.has_failed_reading(error);
            assert_eq!(is_lost(&sends, 1), expected, "{error}");
        }
    }

    #[test]
    fn responses_of_http2_alone_await_flush() {
        for (is_http2, expected) in [(true, false), (false, true)] {
            let (client, sends) = (ConnectedClient::new(true, is_http2), sends());
            assert!(!client.awaits_write());
            client.given(receipt(&sends, 1));
            assert!(client.awaits_write());
            client.0.unread.set_flushed();
            assert_eq!(client.awaits_write(), expected);
            client.has_left();
            assert!(!is_lost(&sends, 1), "the client closed normally after the write");
            client.given(receipt(&sends, 2));
            assert!(is_lost(&sends, 2), "the client is gone");
        }
    }
}
