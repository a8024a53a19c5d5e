//! Byte stream to the server that bounds silence and shows error codes.
//!
//! Diesel passes the text of an error on and drops its SQLSTATE, and no timer of the server covers a server that is gone.
//! Both are visible in the messages of the protocol, whose boundaries are followed here: each has a type, a length and a body
//! (PostgreSQL, "Message Formats").

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::error::DISK_FULL;

/// Bytes before the body of a message: its type, and its length without the type.
const HEADER_BYTES: u8 = 5;
/// Bytes of the length itself, which counts them.
const LENGTH_BYTES: usize = 4;
/// Message types of the server: an error, and the end of the reply to a request.
const ERROR: u8 = b'E';
const READY: u8 = b'Z';
/// Message types of the client that end a request: a simple query, and the end of a pipelined one.
const QUERY: u8 = b'Q';
const SYNC: u8 = b'S';
/// The type of the startup message, which has none.
const STARTUP: u8 = 0;
/// Fields of an error.
const CODE: u8 = b'C';
const MESSAGE: u8 = b'M';

/// Message boundaries of one direction.
#[derive(Default)]
struct Frames {
    kind: u8,
    /// Bytes of the header so far.
    seen: u8,
    length: u32,
    /// Bytes of the body to come.
    left: usize,
}

/// A part of one message.
struct Span {
    kind: u8,
    bytes: usize,
    /// Whether the message ends with it.
    is_end: bool,
}

impl Frames {
    /// Returns boundaries that begin with the startup message.
    fn at_startup() -> Self {
        Self { kind: STARTUP, seen: 1, ..Self::default() }
    }

    /// Returns how many of these bytes belong to the current message. The last message ends with its last byte.
    fn advance(&mut self, bytes: &[u8]) -> Span {
        let mut used = 0;
        for byte in bytes.iter().take(usize::from(HEADER_BYTES - self.seen)) {
            if self.seen == 0 {
                self.kind = *byte;
            } else {
                self.length = self.length << 8 | u32::from(*byte);
            }
            self.seen += 1;
            used += 1;
            if self.seen == HEADER_BYTES {
                self.left = usize::try_from(self.length).unwrap_or(usize::MAX).saturating_sub(LENGTH_BYTES);
            }
        }
        let kind = self.kind;
        if self.seen < HEADER_BYTES {
            return Span { kind, bytes: used, is_end: false };
        }
        let body = self.left.min(bytes.len() - used);
        self.left -= body;
        let is_end = self.left == 0;
        if is_end {
            *self = Self::default();
        }
        Span { kind, bytes: used + body, is_end }
    }

    /// Returns where in these bytes an error begins or goes on, and passes the ends of the messages before it to `ended`.
    fn find_error(&mut self, mut bytes: &[u8], mut ended: impl FnMut(u8)) -> Option<usize> {
        let all = bytes.len();
        while let Some(first) = bytes.first() {
            if (if self.seen == 0 { *first } else { self.kind }) == ERROR {
                return Some(all - bytes.len());
            }
            let span = self.advance(bytes);
            if span.is_end {
                ended(span.kind);
            }
            bytes = bytes.get(span.bytes..).unwrap_or_default();
        }
        None
    }
}

/// Shortage of disk space, as the server reported it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shortage(Arc<AtomicBool>);

impl Shortage {
    /// Whether a write failed for lack of space since the last [`clear`](Self::clear).
    pub(crate) fn is_reported(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Forgets the report.
    pub(crate) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    fn report(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Stream to the server.
pub(crate) struct Wire<S> {
    stream: S,
    sent: Frames,
    received: Frames,
    /// The error that is being read.
    error: BytesMut,
    /// Bytes that were read and not yet passed on.
    passing: BytesMut,
    /// Requests without a reply.
    unanswered: usize,
    /// Whether the stream takes nothing at the moment.
    is_stalled: bool,
    limit: Option<Duration>,
    deadline: Instant,
    timer: Option<Pin<Box<Sleep>>>,
    shortage: Shortage,
}

impl<S> Wire<S> {
    /// Wraps a stream on which nothing was sent. A request that stays without any reply for `limit` breaks it.
    pub(crate) fn new(stream: S, limit: Option<Duration>, shortage: Shortage) -> Self {
        Self {
            stream,
            sent: Frames::at_startup(),
            received: Frames::default(),
            error: BytesMut::new(),
            passing: BytesMut::new(),
            unanswered: 0,
            is_stalled: false,
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

    /// Returns an error once the server was silent for too long. One timer runs; it is set anew when it fires.
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

    /// Takes what was read, of which the bytes before `from` are passed on as they are.
    fn take(&mut self, read: &mut ReadBuf<'_>, from: usize) {
        let tail = read.filled().get(from..).unwrap_or_default().to_vec();
        read.set_filled(from);
        let mut bytes = tail.as_slice();
        while let Some(first) = bytes.first() {
            let is_error = (if self.received.seen == 0 { *first } else { self.received.kind }) == ERROR;
            let span = self.received.advance(bytes);
            let (part, rest) = bytes.split_at(span.bytes);
            bytes = rest;
            if !is_error {
                self.passing.extend_from_slice(part);
                self.answer(span.is_end.then_some(span.kind));
                continue;
            }
            self.error.extend_from_slice(part);
            if span.is_end {
                let error = self.error.split();
                if code(&error) == Some(DISK_FULL.as_bytes()) {
                    self.shortage.report();
                }
                self.passing.extend_from_slice(&with_code(&error));
            }
        }
    }

    /// Counts the end of a reply.
    fn answer(&mut self, ended: Option<u8>) {
        if ended == Some(READY) {
            self.unanswered = self.unanswered.saturating_sub(1);
        }
    }

    /// Passes on what was read before.
    fn pass(&mut self, read: &mut ReadBuf<'_>) {
        let fitting = self.passing.len().min(read.remaining());
        read.put_slice(self.passing.get(..fitting).unwrap_or_default());
        self.passing.advance(fitting);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, read: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if !this.passing.is_empty() {
                this.pass(read);
                return Poll::Ready(Ok(()));
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
                    // An error of which a part is missing is passed on when all of it was read.
                    if at > 0 {
                        return Poll::Ready(Ok(()));
                    }
                }
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
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
            if span.is_end && matches!(span.kind, STARTUP | QUERY | SYNC) {
                this.unanswered += 1;
            }
            sent = sent.get(span.bytes..).unwrap_or_default();
        }
        // Whoever drives the stream may have read before and not read again: the timer wakes them.
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

/// Returns the fields of an error: the type of each, where its value begins, and the value.
fn fields(error: &[u8]) -> impl Iterator<Item = (u8, usize, &[u8])> {
    let mut at = usize::from(HEADER_BYTES);
    std::iter::from_fn(move || {
        let (kind, rest) = error.get(at..)?.split_first()?;
        let value = rest.split(|byte| *byte == 0).next().filter(|value| value.len() < rest.len())?;
        let begins = at + 1;
        at = begins + value.len() + 1;
        Some((*kind, begins, value))
    })
}

/// Returns the SQLSTATE of an error.
fn code(error: &[u8]) -> Option<&[u8]> {
    fields(error).find(|(kind, ..)| *kind == CODE).map(|(.., value)| value)
}

/// Returns an error with its SQLSTATE before its text, as `psql` shows it with `VERBOSITY verbose`.
fn with_code(error: &[u8]) -> Vec<u8> {
    let text = fields(error).find(|(kind, ..)| *kind == MESSAGE).map(|(_, begins, _)| begins);
    let (Some(code), Some(begins)) = (code(error), text) else { return error.to_vec() };
    let (before, after) = error.split_at(begins);
    let mut whole = [before, code, b": ", after].concat();
    let length = u32::try_from(whole.len() - 1).unwrap_or(u32::MAX).to_be_bytes();
    if let Some(place) = whole.get_mut(1..=LENGTH_BYTES) {
        place.copy_from_slice(&length);
    }
    whole
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + LENGTH_BYTES).unwrap().to_be_bytes();
        [&[kind], &length[..], body].concat()
    }

    fn error(code: &str, text: &str) -> Vec<u8> {
        message(ERROR, format!("SERROR\0VERROR\0C{code}\0M{text}\0Dmore\0\0").as_bytes())
    }

    fn wire() -> (Wire<DuplexStream>, DuplexStream, Shortage) {
        let (near, far) = duplex(1 << 16);
        let shortage = Shortage::default();
        (Wire::new(near, Some(LIMIT), shortage.clone()), far, shortage)
    }

    #[tokio::test]
    async fn error_code_precedes_text_however_bytes_are_split() {
        let row = message(b'D', &[b'E'; 300]);
        let sent =
            [row.clone(), error("53100", "no space"), message(READY, b"E"), row.clone(), error("40P01", "x")].concat();
        let expected =
            [row.clone(), error("53100", "53100: no space"), message(READY, b"E"), row, error("40P01", "40P01: x")]
                .concat();
        for size in [1, 2, 3, 7, 64, 311, 4096] {
            let (mut wire, mut far, shortage) = wire();
            let mut read = Vec::new();
            for chunk in sent.chunks(size) {
                far.write_all(chunk).await.unwrap();
                // What can be read at once.
                while let Ok(Ok(some)) = tokio::time::timeout(Duration::ZERO, wire.read_buf(&mut read)).await {
                    assert_ne!(some, 0);
                }
            }
            drop(far);
            wire.read_to_end(&mut read).await.unwrap();
            assert_eq!(read, expected, "{size} bytes at a time");
            assert!(shortage.is_reported());
        }
    }

    #[tokio::test]
    async fn malformed_error_is_passed_on() {
        for body in [&b""[..], b"C53100", b"Mtext\0\0", b"\0"] {
            let (mut wire, mut far, _) = wire();
            far.write_all(&message(ERROR, body)).await.unwrap();
            drop(far);
            let mut read = Vec::new();
            wire.read_to_end(&mut read).await.unwrap();
            assert_eq!(read, message(ERROR, body));
        }
    }

    /// The startup message, and its reply.
    async fn start(wire: &mut Wire<DuplexStream>, far: &mut DuplexStream) {
        wire.write_all(&message(0, b"user").split_off(1)).await.unwrap();
        far.write_all(&message(READY, b"I")).await.unwrap();
        wire.read_exact(&mut [0; 6]).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn silence_after_request_breaks_the_stream() {
        let (mut wire, mut far, _) = wire();
        start(&mut wire, &mut far).await;
        let began = Instant::now();
        // Two requests in one flight, of which one has a reply.
        wire.write_all(&[message(SYNC, b""), message(QUERY, b"SELECT 1\0")].concat()).await.unwrap();
        far.write_all(&message(READY, b"I")).await.unwrap();
        wire.read_exact(&mut [0; 6]).await.unwrap();
        let error = wire.read_u8().await.unwrap_err();
        assert_eq!((error.kind(), began.elapsed().as_secs()), (io::ErrorKind::TimedOut, LIMIT.as_secs()));
    }

    #[tokio::test(start_paused = true)]
    async fn silence_without_request_breaks_nothing() {
        let (mut wire, mut far, _) = wire();
        start(&mut wire, &mut far).await;
        assert!(tokio::time::timeout(LIMIT * 10, wire.read_u8()).await.is_err());
        wire.write_all(&message(SYNC, b"")).await.unwrap();
        assert!(tokio::time::timeout(LIMIT * 9 / 10, wire.read_u8()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn silence_wakes_driver_that_reads_before_it_writes() {
        let (mut wire, mut far, _) = wire();
        start(&mut wire, &mut far).await;
        let request = message(SYNC, b"");
        let mut is_written = false;
        let driven = std::future::poll_fn(|context| {
            let mut bytes = [0; 8];
            let read = pin!(&mut wire).poll_read(context, &mut ReadBuf::new(&mut bytes));
            if !is_written {
                is_written = pin!(&mut wire).poll_write(context, &request).is_ready();
            }
            read
        });
        let ended = tokio::time::timeout(LIMIT * 2, driven).await.unwrap();
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn server_that_takes_nothing_breaks_the_stream() {
        let (mut wire, mut far, _) = wire();
        start(&mut wire, &mut far).await;
        let error = wire.write_all(&message(b'B', &vec![0; 1 << 20])).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
