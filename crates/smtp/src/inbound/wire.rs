//! Lines in, replies out. Nothing here grows with what the client sends.

use std::time::Duration;

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::options::Timeouts;
use super::reply::Reply;

/// The longest command line, CRLF included. RFC 5321 section 4.5.3.1.4 asks for 512, extensions for more.
pub(super) const LONGEST_LINE: usize = 2048;

/// How many octets are read ahead.
const BUFFER: usize = 16 * 1024;

/// How much of what a client still sends is read after the server has said goodbye.
const FAREWELL_OCTETS: usize = 64 * 1024;
const FAREWELL_TIME: Duration = Duration::from_millis(500);

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
}

/// A stream with what was read of it ahead and what is yet to be written.
pub(super) struct Wire<S> {
    stream: S,
    input: Box<[u8]>,
    start: usize,
    end: usize,
    output: Vec<u8>,
    timeouts: Timeouts,
    session_ends: Instant,
    stop: watch::Receiver<bool>,
}

impl<S: Stream> Wire<S> {
    pub(super) fn new(stream: S, timeouts: Timeouts, session_ends: Instant, stop: watch::Receiver<bool>) -> Self {
        Self {
            stream,
            input: vec![0; BUFFER].into_boxed_slice(),
            start: 0,
            end: 0,
            output: Vec::new(),
            timeouts,
            session_ends,
            stop,
        }
    }

    /// Says something. It goes out when the client has nothing more to say that was not answered (RFC 2920 section 3.2).
    pub(super) fn reply(&mut self, reply: &Reply) {
        reply.encode(&mut self.output);
    }

    /// The next command line. The whole line has to come within one time-out, so that dripping octets gains nothing.
    pub(super) async fn line(&mut self) -> Result<Line, Broken> {
        let deadline = self.deadline(self.timeouts.command);
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
            self.fill(deadline, true).await?;
        }
    }

    /// The next octets of a mail, at least one. Those that were used must be told to [`Wire::consume`].
    pub(super) async fn block(&mut self) -> Result<&[u8], Broken> {
        if self.waiting().is_empty() {
            let deadline = self.deadline(self.timeouts.data_block);
            self.fill(deadline, false).await?;
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
        let written = timeout(self.timeouts.write, async {
            self.stream.write_all(&self.output).await?;
            self.stream.flush().await
        });
        match written.await {
            Ok(Ok(())) => {
                self.output.clear();
                Ok(())
            }
            Ok(Err(_)) | Err(_) => Err(Broken::Gone),
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

    fn deadline(&self, within: Duration) -> Instant {
        self.session_ends.min(Instant::now() + within)
    }

    async fn fill(&mut self, deadline: Instant, heed_stop: bool) -> Result<(), Broken> {
        self.flush().await?;
        self.input.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let Self { stream, input, end, stop, .. } = self;
        let read = tokio::select! {
            biased;
            _ = stop.wait_for(|stopped| *stopped), if heed_stop => return Err(Broken::ShuttingDown),
            read = timeout_at(deadline, stream.read(&mut input[*end..])) => read,
        };
        match read {
            Ok(Ok(0) | Err(_)) => Err(Broken::Gone),
            Ok(Ok(read)) => {
                *end += read;
                Ok(())
            }
            Err(_) if Instant::now() >= self.session_ends => Err(Broken::SessionOver),
            Err(_) => Err(Broken::Idle),
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
