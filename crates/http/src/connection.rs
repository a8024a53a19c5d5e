//! Client connections that track whether the client received its response.
//!
//! Written bytes may never be read. A client that has closed its side before a response counts as gone. A client that
//! closes with unread bytes resets the connection (RFC 9293, section 3.6.1).
//!
//! A client that does not read would occupy its connection and the write buffers forever, so a stalled write times out.

use std::future::Future;
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::rt::net::TcpStream;
use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::parser_refusal;
use crate::retry_dedup::DeliveryReceipt;

/// Time for which a write may make no progress.
const WRITE_STALL_TIMEOUT: Duration = Duration::from_mins(1);

/// A TCP connection of a client.
pub(crate) struct Connection {
    stream: TcpStream,
    client: ConnectedClient,
    /// Timer that runs while a write makes no progress.
    stall: Option<Pin<Box<Sleep>>>,
    /// Renderer of the response to a request that the HTTP parser refuses.
    refuse: RefusalRenderer,
    /// Unwritten rest of that response.
    refusal: Option<Bytes>,
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
    /// Deadline for writing the current response.
    write_deadline: Mutex<Option<Instant>>,
    /// Receipt of the last response, until the client shows that it read the response.
    unread: Mutex<Option<DeliveryReceipt>>,
}

impl Connection {
    /// Returns a connection with `TCP_NODELAY`.
    ///
    /// Otherwise each small write, such as an event, waits for the acknowledgment of the write before. The client may
    /// delay that by 40 ms (RFC 896; RFC 1122, section 4.2.3.2).
    pub(crate) fn new(stream: TcpStream, refuse: RefusalRenderer) -> Self {
        // Fails only on a closed connection, which the next read reports.
        let _ = stream.set_nodelay(true);
        Self { stream, client: ConnectedClient::default(), stall: None, refuse, refusal: None }
    }

    /// Completes when a write made no progress for too long or its deadline has passed.
    fn poll_stall(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let stall = Instant::now() + WRITE_STALL_TIMEOUT;
        let until = self.client.write_deadline().map_or(stall, |deadline| deadline.min(stall));
        self.stall.get_or_insert_with(|| Box::pin(sleep_until(until))).as_mut().poll(cx)
    }

    /// Recognizes a client that closed its side before its response is written: the response counts as lost. Later such a
    /// close means that the client has read it.
    fn check_open(&self, cx: &mut Context<'_>) {
        let mut next = [0];
        if self.client.has_unread()
            && matches!(self.stream.poll_peek(cx, &mut ReadBuf::new(&mut next)), Poll::Ready(Ok(0)))
        {
            self.client.has_broken_off();
        }
    }

    fn poll_write_some(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write(cx, bytes) else {
            ready!(self.poll_stall(cx));
            self.client.has_broken_off();
            return Poll::Ready(Err(ErrorKind::TimedOut.into()));
        };
        self.stall = None;
        Poll::Ready(written.inspect_err(|_: &Error| self.client.has_broken_off()))
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

    pub(crate) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    pub(crate) fn client(&self) -> ConnectedClient {
        self.client.clone()
    }
}

impl ConnectedClient {
    /// Stores the receipt of a completely polled response.
    pub(crate) fn given(&self, mut receipt: DeliveryReceipt) {
        if self.0.is_gone.load(Ordering::Acquire) {
            // Dropping the receipt records the response as lost.
            return;
        }
        receipt.delivered();
        self.keep(Some(receipt));
    }

    /// Closes the connection after the next write; otherwise the server would wait for more requests of the client.
    pub(crate) fn end(&self) {
        self.0.ends.store(true, Ordering::Release);
    }

    /// Limits the time for writing the response that follows.
    pub(crate) fn set_write_timeout(&self, timeout: Option<Duration>) {
        *self.0.write_deadline.lock().unwrap_or_else(PoisonError::into_inner) =
            timeout.map(|timeout| Instant::now() + timeout);
    }

    fn write_deadline(&self) -> Option<Instant> {
        *self.0.write_deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Disables the detection of parser refusals, because a response with foreign contents follows.
    pub(crate) fn expect_foreign_content(&self) {
        self.0.has_foreign_content.store(true, Ordering::Relaxed);
    }

    /// Discards the receipt: a client that sends again, or closes normally, has read the response.
    fn has_read(&self) {
        self.keep(None);
    }

    fn has_left(&self) {
        self.0.is_gone.store(true, Ordering::Release);
        self.has_read();
    }

    fn has_broken_off(&self) {
        self.0.is_gone.store(true, Ordering::Release);
        if let Some(mut receipt) = self.replace(None) {
            receipt.lost();
        }
    }

    fn has_unread(&self) -> bool {
        self.0.unread.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn keep(&self, receipt: Option<DeliveryReceipt>) {
        drop(self.replace(receipt));
    }

    fn replace(&self, receipt: Option<DeliveryReceipt>) -> Option<DeliveryReceipt> {
        std::mem::replace(&mut *self.0.unread.lock().unwrap_or_else(PoisonError::into_inner), receipt)
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let read = ready!(Pin::new(&mut self.stream).poll_read(cx, buffer));
        match &read {
            Ok(()) if buffer.filled().len() > before => self.client.has_read(),
            Ok(()) if room == 0 => {}
            Ok(()) => self.client.has_left(),
            Err(_) => self.client.has_broken_off(),
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
                line.refusal = Some((line.refuse)(status).into());
                line.poll_refusal(cx, bytes.len())
            }
            Some((start, _)) => line.poll_write_some(cx, bytes.get(..start).unwrap_or(bytes)),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
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

    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn connection_disables_nagle() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (client, served) = tokio::join!(TcpStream::connect(listener.local_addr().unwrap()), listener.accept());
        let (_client, (served, _)) = (client.unwrap(), served.unwrap());
        assert!(!served.nodelay().unwrap());
        assert!(Connection::new(served, Arc::new(|_| Vec::new())).stream().nodelay().unwrap());
    }
}
