//! Command lines and replies over a stream, with buffers of fixed size.

use std::pin::pin;
use std::time::Duration;

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::connection_limits::{ConnectionPermit, ConnectionPressure};
use super::content::ContentBudget;
use super::options::ServerTimeouts;
use super::pace::TransferPace;
use super::reply::Reply;
use super::state::SessionState;

/// Limit of a command line with its CRLF. RFC 5321, section 4.5.3.1.4 requires 512; extensions need more.
pub(super) const MAX_LINE_BYTES: usize = 2048;

/// Size of the read buffer.
const BUFFER_BYTES: usize = 16 * 1024;

/// Bytes that are read and discarded after the final reply.
const MAX_DRAIN_BYTES: usize = 64 * 1024;
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// Interval at which a waiting session checks its limits again.
const PRESSURE_INTERVAL: Duration = Duration::from_secs(2);

/// Factor of the required transfer rate while the spool is scarce.
const SCARCE_RATE_FACTOR: u64 = 32;

/// Byte stream of a session: socket, TLS, or memory.
pub(super) trait SessionStream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> SessionStream for T {}

/// Line in place of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandLine {
    /// Line without its CRLF.
    Text(Vec<u8>),
    /// Line beyond the limit, which was discarded.
    TooLong,
    /// Line that ended with a bare LF or contains a CR.
    BareLineEnd,
}

/// Reason for which input ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadError {
    /// The client disconnected.
    Disconnected,
    /// The client was silent for too long.
    Idle,
    /// The session exceeded its limit.
    SessionTimeout,
    /// The server is shutting down.
    ShuttingDown,
    /// The message arrives too slowly.
    TooSlow,
    /// The session yields to a new connection.
    Yielded,
}

/// Time limits and required transfer rate of a client.
#[derive(Clone)]
pub(super) struct WireLimits {
    pub(super) timeouts: ServerTimeouts,
    pub(super) session_ends: Instant,
    pub(super) min_transfer_rate: u64,
    pub(super) budget: ContentBudget,
}

/// Awaited input with the start of the wait.
#[derive(Debug, Clone, Copy)]
enum AwaitedInput {
    CommandLine(Instant),
    ContentBuffer(Instant),
}

/// Stream with its read buffer and pending replies.
pub(super) struct ClientWire<'a, S> {
    stream: S,
    input: Box<[u8]>,
    start: usize,
    end: usize,
    output: Vec<u8>,
    limits: WireLimits,
    permit: &'a ConnectionPermit,
    begun_at: Instant,
    has_identity: bool,
    /// Transfer rate of the current message.
    pace: Option<TransferPace>,
    stop: watch::Receiver<bool>,
}

impl<'a, S: SessionStream> ClientWire<'a, S> {
    pub(super) fn new(
        stream: S,
        limits: WireLimits,
        permit: &'a ConnectionPermit,
        stop: watch::Receiver<bool>,
    ) -> Self {
        Self {
            stream,
            input: vec![0; BUFFER_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
            output: Vec::new(),
            limits,
            permit,
            begun_at: Instant::now(),
            has_identity: false,
            pace: None,
            stop,
        }
    }

    /// Updates the limits after a reply: the client has an identity, or a message made progress or ended.
    pub(super) fn note_progress(&mut self, state: &SessionState, reply: &Reply) {
        self.has_identity = state.identity.is_some();
        if state.transaction.as_ref().is_none_or(|transaction| transaction.chunks.is_none()) {
            self.pace = None;
        }
        if *reply == Reply::Recipient || reply.is_acceptance() {
            self.permit.touch();
        }
    }

    /// Queues a reply. It is sent when no buffered command is left (RFC 2920, section 3.2).
    pub(super) fn reply(&mut self, reply: &Reply) {
        reply.encode(&mut self.output);
    }

    /// Reads the next command line. The whole line must arrive within one time-out, so sending single bytes gains
    /// nothing.
    pub(super) async fn read_command(&mut self) -> Result<CommandLine, ReadError> {
        let awaited = AwaitedInput::CommandLine(Instant::now());
        let mut too_long = false;
        loop {
            if *self.stop.borrow() {
                return Err(ReadError::ShuttingDown);
            }
            let buffered = self.buffered();
            if let Some(length) = memchr(b'\n', buffered) {
                let line = if too_long { CommandLine::TooLong } else { classify_line(&buffered[..length]) };
                self.consume(length + 1);
                return Ok(line);
            }
            if buffered.len() >= MAX_LINE_BYTES {
                too_long = true;
            }
            if too_long {
                self.consume(self.buffered().len());
            }
            self.fill_buffer(awaited).await?;
        }
    }

    /// Returns the next bytes of a message, at least one. The caller passes the number of used bytes to
    /// [`ClientWire::consume`].
    pub(super) async fn read_block(&mut self) -> Result<&[u8], ReadError> {
        self.pace.get_or_insert_default();
        if self.buffered().is_empty() {
            self.fill_buffer(AwaitedInput::ContentBuffer(Instant::now())).await?;
        }
        Ok(self.buffered())
    }

    /// Discards bytes at the front.
    pub(super) fn consume(&mut self, bytes: usize) {
        self.start = self.end.min(self.start + bytes);
    }

    /// Sends the queued replies.
    pub(super) async fn flush(&mut self) -> Result<(), ReadError> {
        if self.output.is_empty() {
            return Ok(());
        }
        let limit = self.permit.pressure().shorten(self.limits.timeouts.write);
        self.flush_within(limit).await
    }

    async fn flush_within(&mut self, limit: Duration) -> Result<(), ReadError> {
        let Self { stream, output, permit, .. } = self;
        let (written, is_yielding) = {
            let mut writing = pin!(timeout(limit, async {
                stream.write_all(output).await?;
                stream.flush().await
            }));
            match permit.wait_for_client(writing.as_mut()).await {
                Some(written) => (written, false),
                // A reply may acknowledge a stored message, which the client would send again without it.
                None => (timeout(CLOSE_TIMEOUT, writing).await.flatten(), true),
            }
        };
        match written {
            Ok(Ok(())) => {
                output.clear();
                if is_yielding { Err(ReadError::Yielded) } else { Ok(()) }
            }
            Ok(Err(_)) | Err(_) => Err(ReadError::Disconnected),
        }
    }

    /// Sends the queued replies and closes without waiting for an idle client.
    pub(super) async fn close_at_once(mut self) {
        if self.flush_within(CLOSE_TIMEOUT).await.is_ok() {
            // The result does not matter any more.
            let _ = timeout(CLOSE_TIMEOUT, self.stream.shutdown()).await;
        }
    }

    /// Sends the queued replies and closes.
    ///
    /// It reads further input for a moment, because closing a socket with unread bytes resets it, and the last reply
    /// would be lost.
    pub(super) async fn close(mut self) {
        if self.flush().await.is_err() {
            return;
        }
        let drained = timeout(CLOSE_TIMEOUT, async {
            self.stream.shutdown().await?;
            let mut left = MAX_DRAIN_BYTES;
            while left > 0 {
                match self.stream.read(&mut self.input).await? {
                    0 => break,
                    read => left = left.saturating_sub(read),
                }
            }
            Ok::<(), std::io::Error>(())
        });
        // The result does not matter any more.
        let _ = drained.await;
    }

    /// Returns the stream for TLS. Buffered input is dropped, because an attacker could inject commands that would
    /// appear to be sent under TLS (RFC 3207, section 6).
    pub(super) fn into_stream(self) -> S {
        self.stream
    }

    fn buffered(&self) -> &[u8] {
        &self.input[self.start..self.end]
    }

    /// Returns the time by which input must arrive, and the error after it.
    fn deadline(&mut self, awaited: AwaitedInput, now: Instant) -> (Instant, ReadError) {
        let WireLimits { timeouts, session_ends, min_transfer_rate, ref budget } = self.limits;
        let pressure = self.permit.pressure();
        let ends = match awaited {
            AwaitedInput::CommandLine(_) if !self.has_identity => self.begun_at + pressure.shorten(timeouts.greeting),
            AwaitedInput::CommandLine(since) => since + pressure.shorten(timeouts.command),
            AwaitedInput::ContentBuffer(since) => since + timeouts.data_block,
        };
        let mut nearest = (ends, ReadError::Idle);
        if let Some(pace) = &mut self.pace {
            let is_scarce = budget.is_scarce();
            let is_short = is_scarce || pressure != ConnectionPressure::Low;
            let window = timeouts.transfer_window / if is_short { 4 } else { 1 };
            let rate = min_transfer_rate * if is_scarce { SCARCE_RATE_FACTOR } else { 1 };
            if pace.is_too_slow(window, rate) {
                return (now, ReadError::TooSlow);
            }
            nearest = [nearest, (now + pace.remaining(window), ReadError::TooSlow)]
                .into_iter()
                .min_by_key(|one| one.0)
                .unwrap_or(nearest);
        }
        if session_ends <= nearest.0 { (session_ends, ReadError::SessionTimeout) } else { nearest }
    }

    async fn fill_buffer(&mut self, awaited: AwaitedInput) -> Result<(), ReadError> {
        self.flush().await?;
        self.input.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        loop {
            let now = Instant::now();
            let (deadline, error) = self.deadline(awaited, now);
            if deadline <= now {
                return Err(error);
            }
            let heeds_stop = matches!(awaited, AwaitedInput::CommandLine(_));
            let Self { stream, input, end, stop, permit, .. } = self;
            let read = permit.wait_for_client(async {
                tokio::select! {
                    biased;
                    _ = stop.wait_for(|stopped| *stopped), if heeds_stop => Err(ReadError::ShuttingDown),
                    read = timeout_at(deadline.min(now + PRESSURE_INTERVAL), stream.read(&mut input[*end..])) => Ok(read),
                }
            });
            let read = match read.await.ok_or(ReadError::Yielded)?? {
                Ok(Ok(0) | Err(_)) => return Err(ReadError::Disconnected),
                Ok(Ok(read)) => read,
                Err(_) => 0,
            };
            self.end += read;
            if let Some(pace) = &mut self.pace {
                pace.note(now.elapsed(), read);
            }
            if read > 0 {
                if self.pace.is_some() {
                    self.permit.touch();
                }
                return Ok(());
            }
        }
    }
}

/// Classifies a line without its LF.
fn classify_line(line: &[u8]) -> CommandLine {
    if line.len() + 1 > MAX_LINE_BYTES {
        return CommandLine::TooLong;
    }
    match line.strip_suffix(b"\r") {
        Some(text) if memchr(b'\r', text).is_none() => CommandLine::Text(text.to_vec()),
        _ => CommandLine::BareLineEnd,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

    use std::net::Ipv4Addr;
    use std::sync::Arc;

    use futures_util::FutureExt;
    use tokio::io::duplex;
    use tokio::time::advance;

    use super::super::connection_limits::ConnectionLimits;
    use super::super::options::ServerOptions;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn yielding_session_sends_its_queued_replies() {
        let options = ServerOptions { max_connections_per_ip: 1, ..ServerOptions::default() };
        let connections = Arc::new(ConnectionLimits::new(&options));
        let client = Ipv4Addr::LOCALHOST.into();
        let permit = connections.admit(client).unwrap();
        // The session begins to yield at the moment at which its input arrives.
        let mut waiting = Box::pin(permit.wait_for_client(std::future::pending::<()>()));
        assert!((&mut waiting).now_or_never().is_none());
        advance(options.timeouts.yield_after).await;
        let _other = connections.admit(client).unwrap();
        drop(waiting);

        let limits = WireLimits {
            timeouts: options.timeouts,
            session_ends: Instant::now() + options.timeouts.session,
            min_transfer_rate: options.min_transfer_rate,
            budget: ContentBudget::new(&options),
        };
        let (stream, mut peer) = duplex(4096);
        let (_stop, stopped) = watch::channel(false);
        let mut wire = ClientWire::new(stream, limits, &permit, stopped);
        wire.reply(&Reply::Stored);
        assert_eq!(wire.flush().await, Err(ReadError::Yielded));
        let mut received = [0; 64];
        let read = peer.read(&mut received).await.unwrap();
        assert!(received[..read].starts_with(b"250 2.0.0 "));
    }
}
