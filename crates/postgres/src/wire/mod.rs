//! Byte stream to the server that bounds silence, shows error codes, and leaves a server that became a standby.
//!
//! Diesel passes on the text of an error without its SQLSTATE, and no timer of the server covers a vanished server.
//! Both are visible in the messages of the protocol. A pool does not see the error of a statement, so the stream ends
//! itself.

mod error_fields;
mod frames;
#[cfg(test)]
mod tests;

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use self::error_fields::{code, with_code};
use self::frames::MessageFrames;
use crate::error::{DISK_FULL, LEAVING};

/// Message type of the server at the end of the reply to a request.
const READY: u8 = b'Z';
/// Message types of the client that end a request: a simple query, and the end of a pipelined one.
const QUERY: u8 = b'Q';
const SYNC: u8 = b'S';

/// Shortage of disk space, as the server reported it.
#[derive(Debug, Clone, Default)]
pub(crate) struct DiskShortage(Arc<AtomicBool>);

impl DiskShortage {
    /// Whether a write failed for lack of space since the last [`clear`](Self::clear).
    pub(crate) fn is_reported(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Clears the report.
    pub(crate) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    fn report(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Stream to the server.
pub(crate) struct WireStream<S> {
    stream: S,
    sent: MessageFrames,
    received: MessageFrames,
    /// Bytes of an incomplete error.
    error: BytesMut,
    /// Bytes that were read and not yet passed on.
    passing: BytesMut,
    /// Requests without a reply.
    unanswered: usize,
    /// Whether the stream currently accepts no bytes.
    is_stalled: bool,
    /// Whether the server reported that it accepts no writes or stops.
    is_leaving: bool,
    limit: Option<Duration>,
    deadline: Instant,
    timer: Option<Pin<Box<Sleep>>>,
    shortage: DiskShortage,
}

impl<S> WireStream<S> {
    /// Wraps a new stream. A request without any reply for `limit` breaks it.
    pub(crate) fn new(stream: S, limit: Option<Duration>, shortage: DiskShortage) -> Self {
        Self {
            stream,
            sent: MessageFrames::at_startup(),
            received: MessageFrames::default(),
            error: BytesMut::new(),
            passing: BytesMut::new(),
            unanswered: 0,
            is_stalled: false,
            is_leaving: false,
            limit,
            deadline: Instant::now(),
            timer: None,
            shortage,
        }
    }

    /// Moves the deadline.
    fn extend(&mut self) {
        if let Some(limit) = self.limit {
            self.deadline = Instant::now() + limit;
        }
    }

    /// Returns an error after too long a silence of the server. One timer runs; it is set again when it fires.
    fn check_deadline(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let Some(limit) = self.limit.filter(|_| self.unanswered > 0 || self.is_stalled) else { return Ok(()) };
        let deadline = self.deadline;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        while timer.as_mut().poll(context).is_ready() {
            if Instant::now() >= deadline {
                let silence = format!("no reply of the database within {} s", limit.as_secs_f32());
                return Err(io::Error::new(io::ErrorKind::TimedOut, silence));
            }
            timer.as_mut().reset(deadline);
        }
        Ok(())
    }

    /// Consumes read bytes and passes on those before `from` unchanged.
    fn take(&mut self, read: &mut ReadBuf<'_>, from: usize) {
        let tail = read.filled().get(from..).unwrap_or_default().to_vec();
        read.set_filled(from);
        let mut bytes = tail.as_slice();
        while let Some(first) = bytes.first() {
            let is_error = self.received.is_error(*first);
            let span = self.received.advance(bytes);
            let (part, rest) = bytes.split_at(span.bytes);
            bytes = rest;
            if !is_error {
                self.passing.extend_from_slice(part);
                self.count_reply(span.is_end.then_some(span.kind));
                continue;
            }
            self.error.extend_from_slice(part);
            if span.is_end {
                let error = self.error.split();
                let code = code(&error);
                if code == Some(DISK_FULL.as_bytes()) {
                    self.shortage.report();
                }
                self.is_leaving |= LEAVING.iter().any(|leaving| code == Some(leaving.as_bytes()));
                self.passing.extend_from_slice(&with_code(&error));
            }
        }
    }

    /// Counts the end of a reply.
    fn count_reply(&mut self, ended: Option<u8>) {
        if ended == Some(READY) {
            self.unanswered = self.unanswered.saturating_sub(1);
        }
    }

    /// Passes on bytes that were read before.
    fn pass(&mut self, read: &mut ReadBuf<'_>) {
        let fitting = self.passing.len().min(read.remaining());
        read.put_slice(self.passing.get(..fitting).unwrap_or_default());
        self.passing.advance(fitting);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WireStream<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, read: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if !this.passing.is_empty() {
                this.pass(read);
                return Poll::Ready(Ok(()));
            }
            // The replies to requests of the same round trip, such as that to COMMIT, come first.
            if this.is_leaving && this.unanswered == 0 {
                return Poll::Ready(Err(io::Error::other("the server accepts no writes, or stops")));
            }
            let before = read.filled().len();
            match pin!(&mut this.stream).poll_read(context, read) {
                Poll::Pending => {
                    this.check_deadline(context)?;
                    return Poll::Pending;
                }
                Poll::Ready(result) => result?,
            }
            let bytes = read.filled().get(before..).unwrap_or_default();
            if bytes.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let mut answers = 0;
            let met = this.received.find_error(bytes, |kind| answers += usize::from(kind == READY));
            this.unanswered = this.unanswered.saturating_sub(answers);
            this.extend();
            match met {
                None => return Poll::Ready(Ok(())),
                Some(at) => {
                    this.take(read, before + at);
                    // A partial error is passed on once it is complete.
                    if at > 0 {
                        return Poll::Ready(Ok(()));
                    }
                }
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WireStream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let Poll::Ready(written) = pin!(&mut this.stream).poll_write(context, bytes) else {
            if !this.is_stalled {
                this.extend();
            }
            this.is_stalled = true;
            this.check_deadline(context)?;
            return Poll::Pending;
        };
        let written = written?;
        if this.unanswered == 0 || this.is_stalled {
            this.extend();
        }
        this.is_stalled = false;
        let mut sent = bytes.get(..written).unwrap_or_default();
        while !sent.is_empty() {
            let span = this.sent.advance(sent);
            if span.is_end && matches!(span.kind, frames::STARTUP | QUERY | SYNC) {
                this.unanswered += 1;
            }
            sent = sent.get(span.bytes..).unwrap_or_default();
        }
        // The reader may not poll again after a read: the timer wakes it.
        this.check_deadline(context)?;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        pin!(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        pin!(&mut self.stream).poll_shutdown(context)
    }
}
