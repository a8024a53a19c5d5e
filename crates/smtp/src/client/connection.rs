//! A session with a server: commands out, replies in, each within its time and size.

use std::io;
use std::time::Duration;

use memchr::memchr;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::time::{Instant, timeout};

use super::Timeouts;
use super::capabilities::Capabilities;
use super::reply::{Reply, parse_line};
use super::trouble::Trouble;

/// The longest line of a reply that is read; RFC 5321 section 4.5.3.1.5 allows 512 octets.
const LONGEST_LINE: usize = 4096;
/// The most lines of a reply that are read.
const MOST_LINES: usize = 128;
/// How long a farewell may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// A socket, or TLS on one.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// An open session.
pub(crate) struct Connection {
    stream: BufReader<Box<dyn Duplex>>,
    pub(crate) capabilities: Capabilities,
    mails: usize,
    /// When the mail before was taken; `None` where something else became of it.
    taken_at: Option<Instant>,
}

impl Connection {
    pub(crate) fn new(stream: Box<dyn Duplex>) -> Self {
        Self { stream: BufReader::new(stream), capabilities: Capabilities::default(), mails: 0, taken_at: None }
    }

    /// Sends a command, given without its CRLF, and reads the reply.
    pub(crate) async fn command(&mut self, what: &'static str, line: &str, wait: Duration) -> Result<Reply, Trouble> {
        self.write(what, format!("{line}\r\n").as_bytes(), wait).await?;
        self.reply(what, wait).await
    }

    /// Sends octets as they are.
    pub(crate) async fn write(&mut self, what: &'static str, octets: &[u8], wait: Duration) -> Result<(), Trouble> {
        let written = timeout(wait, async {
            self.stream.write_all(octets).await?;
            self.stream.flush().await
        });
        match written.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Trouble::Broken { what }),
            Err(_) => Err(Trouble::TimedOut { what }),
        }
    }

    /// Reads one reply.
    pub(crate) async fn reply(&mut self, what: &'static str, wait: Duration) -> Result<Reply, Trouble> {
        match timeout(wait, self.read_reply(what)).await {
            Ok(reply) => reply,
            Err(_) => Err(Trouble::TimedOut { what }),
        }
    }

    /// The stream beneath, for TLS. Nothing may have been said that was not asked for.
    pub(crate) fn into_stream(self) -> Result<Box<dyn Duplex>, Trouble> {
        if self.stream.buffer().is_empty() { Ok(self.stream.into_inner()) } else { Err(Trouble::Injected) }
    }

    /// Counts a mail that went over this connection, and answers how many have.
    pub(crate) fn count_mail(&mut self) -> usize {
        self.mails += 1;
        self.mails
    }

    /// The mail before was taken, and with that the server has forgotten it (RFC 5321 section 4.1.1.4).
    pub(crate) fn note_taken(&mut self) {
        self.taken_at = Some(Instant::now());
    }

    /// Whether it can take the next mail: the one before was taken just now, or the server still answers and forgets it
    /// (RSET).
    pub(crate) async fn is_ready(&mut self, times: &Timeouts) -> bool {
        let is_fresh = self.taken_at.take().is_some_and(|taken_at| taken_at.elapsed() < times.fresh);
        is_fresh || self.command("RSET", "RSET", times.check).await.is_ok_and(|reply| reply.is_positive())
    }

    /// Ends the session politely. What comes of it makes no difference.
    pub(crate) async fn quit(mut self) {
        let _ = self.command("QUIT", "QUIT", FAREWELL).await;
    }

    async fn read_reply(&mut self, what: &'static str) -> Result<Reply, Trouble> {
        let mut lines = Vec::new();
        let mut first_code = None;
        while lines.len() < MOST_LINES {
            let line = self.read_line().await.map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => Trouble::Garbled { what },
                _ => Trouble::Broken { what },
            })?;
            let (code, more, text) = parse_line(&line).ok_or(Trouble::Garbled { what })?;
            if *first_code.get_or_insert(code) != code {
                break;
            }
            lines.push(text);
            if !more {
                return Ok(Reply { code, lines });
            }
        }
        Err(Trouble::Garbled { what })
    }

    /// A line without its end, which is LF or CR LF.
    async fn read_line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let waiting = self.stream.fill_buf().await?;
            if waiting.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let end = memchr(b'\n', waiting);
            let piece = &waiting[..end.unwrap_or(waiting.len())];
            if line.len() + piece.len() > LONGEST_LINE {
                return Err(io::ErrorKind::InvalidData.into());
            }
            line.extend_from_slice(piece);
            let used = piece.len() + usize::from(end.is_some());
            self.stream.consume(used);
            if end.is_some() {
                if line.ends_with(b"\r") {
                    line.pop();
                }
                return Ok(line);
            }
        }
    }
}
