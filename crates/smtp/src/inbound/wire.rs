//! Lines in, replies out. Nothing here grows with what the client sends.

use std::time::Duration;

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::connections::{ConnectionPermit, Pressure};
use super::content::ContentBudget;
use super::options::Timeouts;
use super::pace::TransferPace;
use super::reply::Reply;
use super::state::State;

/// The longest command line, CRLF included. RFC 5321 section 4.5.3.1.4 asks for 512, extensions for more.
pub(super) const LONGEST_LINE: usize = 2048;

/// How many octets are read ahead.
const BUFFER: usize = 16 * 1024;

/// How much of what a client still sends is read after the server has said goodbye.
const FAREWELL_OCTETS: usize = 64 * 1024;
const FAREWELL_TIME: Duration = Duration::from_millis(500);

/// How often a waiting session checks whether its limits have become shorter.
const PRESSURE_INTERVAL: Duration = Duration::from_secs(2);

/// How much faster a message has to come where the spool is scarce.
const SCARCE_RATE_FACTOR: u64 = 32;

/// What a session can be held over: a socket, TLS on one, or memory.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// What came in place of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// A line, without its CRLF.
    Text(Vec<u8>),
    /// More octets than a command can have; they are gone.
    TooLong,
    /// A line that ended with a bare LF, or had a CR within.
    BareLineEnd,
}

/// Why nothing comes any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// The client is gone.
    Gone,
    /// The client was silent for too long.
    Idle,
    /// The session took too long.
    SessionOver,
    /// The server stops.
    ShuttingDown,
    /// The client sends its message too slowly.
    TooSlow,
    /// The session gives way to a newcomer.
    Yielded,
}

/// How long a client may take, and how fast it has to be.
#[derive(Clone)]
pub(super) struct WireLimits {
    pub(super) timeouts: Timeouts,
    pub(super) session_ends: Instant,
    pub(super) min_transfer_rate: u64,
    pub(super) budget: ContentBudget,
}

/// What the session waits for, since when.
#[derive(Debug, Clone, Copy)]
enum Awaited {
    Line(Instant),
    Content(Instant),
}

/// A stream with what was read of it ahead and what is yet to be written.
pub(super) struct Wire<'a, S> {
    stream: S,
    input: Box<[u8]>,
    start: usize,
    end: usize,
    output: Vec<u8>,
    limits: WireLimits,
    permit: &'a ConnectionPermit,
    begun_at: Instant,
    is_introduced: bool,
    /// The rate of the message that is on its way.
    pace: Option<TransferPace>,
    stop: watch::Receiver<bool>,
}

impl<'a, S: Stream> Wire<'a, S> {
    pub(super) fn new(
        stream: S,
        limits: WireLimits,
        permit: &'a ConnectionPermit,
        stop: watch::Receiver<bool>,
    ) -> Self {
        Self {
            stream,
            input: vec![0; BUFFER].into_boxed_slice(),
            start: 0,
            end: 0,
            output: Vec::new(),
            limits,
            permit,
            begun_at: Instant::now(),
            is_introduced: false,
            pace: None,
            stop,
        }
    }

    /// Notes what a reply means for the limits: the client is introduced, a message was moved forward, or has ended.
    pub(super) fn note_progress(&mut self, state: &State, reply: &Reply) {
        self.is_introduced = state.hello.is_some();
        if state.transaction.as_ref().is_none_or(|transaction| transaction.chunks.is_none()) {
            self.pace = None;
        }
        if matches!(reply, Reply::Recipient | Reply::Stored) {
            self.permit.touch();
        }
    }

    /// Says something. It goes out when the client has nothing more to say that was not answered (RFC 2920 section 3.2).
    pub(super) fn reply(&mut self, reply: &Reply) {
        reply.encode(&mut self.output);
    }

    /// The next command line. The whole line has to come within one time-out, so that dripping octets gains nothing.
    pub(super) async fn line(&mut self) -> Result<Line, Broken> {
        let awaited = Awaited::Line(Instant::now());
        let mut too_long = false;
        loop {
            if *self.stop.borrow() {
                return Err(Broken::ShuttingDown);
            }
            let waiting = self.waiting();
            if let Some(length) = memchr(b'\n', waiting) {
                let line = if too_long { Line::TooLong } else { read_line(&waiting[..length]) };
                self.consume(length + 1);
                return Ok(line);
            }
            if waiting.len() >= LONGEST_LINE {
                too_long = true;
            }
            if too_long {
                self.consume(self.waiting().len());
            }
            self.fill(awaited).await?;
        }
    }

    /// The next octets of a mail, at least one. Those that were used must be told to [`Wire::consume`].
    pub(super) async fn block(&mut self) -> Result<&[u8], Broken> {
        self.pace.get_or_insert_default();
        if self.waiting().is_empty() {
            self.fill(Awaited::Content(Instant::now())).await?;
        }
        Ok(self.waiting())
    }

    /// Forgets octets at the front.
    pub(super) fn consume(&mut self, octets: usize) {
        self.start = self.end.min(self.start + octets);
    }

    /// Sends what was said.
    pub(super) async fn flush(&mut self) -> Result<(), Broken> {
        if self.output.is_empty() {
            return Ok(());
        }
        let limit = self.permit.pressure().shorten(self.limits.timeouts.write);
        self.flush_within(limit).await
    }

    async fn flush_within(&mut self, limit: Duration) -> Result<(), Broken> {
        let Self { stream, output, permit, .. } = self;
        let written = timeout(limit, async {
            stream.write_all(output).await?;
            stream.flush().await
        });
        match permit.wait_for_client(written).await {
            Some(Ok(Ok(()))) => {
                output.clear();
                Ok(())
            }
            Some(Ok(Err(_)) | Err(_)) | None => Err(Broken::Gone),
        }
    }

    /// Sends what was said and closes, without waiting for a client that was idle.
    pub(super) async fn close_at_once(mut self) {
        if self.flush_within(FAREWELL_TIME).await.is_ok() {
            // Whether the client saw it through makes no difference any more.
            let _ = timeout(FAREWELL_TIME, self.stream.shutdown()).await;
        }
    }

    /// Sends what was said and closes. What the client is still sending is read for a moment: a socket that is closed
    /// with octets unread is reset, and the last reply would be lost with it.
    pub(super) async fn close(mut self) {
        if self.flush().await.is_err() {
            return;
        }
        let drained = timeout(FAREWELL_TIME, async {
            self.stream.shutdown().await?;
            let mut left = FAREWELL_OCTETS;
            while left > 0 {
                match self.stream.read(&mut self.input).await? {
                    0 => break,
                    read => left = left.saturating_sub(read),
                }
            }
            Ok::<(), std::io::Error>(())
        });
        // Whether the client saw it through makes no difference any more.
        let _ = drained.await;
    }

    /// The stream itself, for TLS. What was read ahead is dropped: whoever stands in between could have put commands
    /// there that would pass as said under TLS (RFC 3207 section 6).
    pub(super) fn into_stream(self) -> S {
        self.stream
    }

    fn waiting(&self) -> &[u8] {
        &self.input[self.start..self.end]
    }

    /// Returns when the client has to have sent something, and what it means if it has not.
    fn deadline(&mut self, awaited: Awaited, now: Instant) -> (Instant, Broken) {
        let WireLimits { timeouts, session_ends, min_transfer_rate, ref budget } = self.limits;
        let pressure = self.permit.pressure();
        let ends = match awaited {
            Awaited::Line(_) if !self.is_introduced => self.begun_at + pressure.shorten(timeouts.greeting),
            Awaited::Line(since) => since + pressure.shorten(timeouts.command),
            Awaited::Content(since) => since + timeouts.data_block,
        };
        let mut nearest = (ends, Broken::Idle);
        if let Some(pace) = &mut self.pace {
            let is_scarce = budget.is_scarce();
            let is_short = is_scarce || pressure != Pressure::Low;
            let window = timeouts.transfer_window / if is_short { 4 } else { 1 };
            let rate = min_transfer_rate * if is_scarce { SCARCE_RATE_FACTOR } else { 1 };
            if pace.is_too_slow(window, rate) {
                return (now, Broken::TooSlow);
            }
            nearest = [nearest, (now + pace.remaining(window), Broken::TooSlow)]
                .into_iter()
                .min_by_key(|one| one.0)
                .unwrap_or(nearest);
        }
        if session_ends <= nearest.0 { (session_ends, Broken::SessionOver) } else { nearest }
    }

    async fn fill(&mut self, awaited: Awaited) -> Result<(), Broken> {
        self.flush().await?;
        self.input.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        loop {
            let now = Instant::now();
            let (deadline, broken) = self.deadline(awaited, now);
            if deadline <= now {
                return Err(broken);
            }
            let heeds_stop = matches!(awaited, Awaited::Line(_));
            let Self { stream, input, end, stop, permit, .. } = self;
            let read = permit.wait_for_client(async {
                tokio::select! {
                    biased;
                    _ = stop.wait_for(|stopped| *stopped), if heeds_stop => Err(Broken::ShuttingDown),
                    read = timeout_at(deadline.min(now + PRESSURE_INTERVAL), stream.read(&mut input[*end..])) => Ok(read),
                }
            });
            let read = match read.await.ok_or(Broken::Yielded)?? {
                Ok(Ok(0) | Err(_)) => return Err(Broken::Gone),
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

/// Judges a line that came without its LF.
fn read_line(line: &[u8]) -> Line {
    if line.len() + 1 > LONGEST_LINE {
        return Line::TooLong;
    }
    match line.strip_suffix(b"\r") {
        Some(text) if memchr(b'\r', text).is_none() => Line::Text(text.to_vec()),
        _ => Line::BareLineEnd,
    }
}
