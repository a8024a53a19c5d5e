//! Client connection with time and size limits for each command and reply.

use std::io;
use std::time::Duration;

use inboxd_core::model::SessionTls;
use memchr::memchr;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::time::{Instant, timeout};

use super::ClientTimeouts;
use super::capabilities::ServerCapabilities;
use super::reply::{ServerReply, parse_reply_line};
use super::session_error::SessionError;

/// Limit of a reply line. RFC 5321, section 4.5.3.1.5 permits 512 bytes.
const MAX_REPLY_LINE_BYTES: usize = 4096;
/// Number of lines of one reply.
const MAX_REPLY_LINES: usize = 128;
/// Limit for QUIT and its reply.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Byte stream of a session: TCP, or TLS over it.
pub(crate) trait ClientStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> ClientStream for T {}

/// Open session with a server.
pub(crate) struct ClientConnection {
    stream: BufReader<Box<dyn ClientStream>>,
    pub(crate) capabilities: ServerCapabilities,
    /// TLS of the session.
    pub(crate) tls: SessionTls,
    messages: usize,
    /// Time at which the server accepted the previous message. `None` when it did not accept one.
    accepted_at: Option<Instant>,
}

impl ClientConnection {
    pub(crate) fn new(stream: Box<dyn ClientStream>, tls: SessionTls) -> Self {
        Self {
            stream: BufReader::new(stream),
            capabilities: ServerCapabilities::default(),
            tls,
            messages: 0,
            accepted_at: None,
        }
    }

    /// Sends a command without its CRLF and reads the reply.
    pub(crate) async fn command(
        &mut self,
        stage: &'static str,
        line: &str,
        wait: Duration,
    ) -> Result<ServerReply, SessionError> {
        self.write(stage, format!("{line}\r\n").as_bytes(), wait).await?;
        self.reply(stage, wait).await
    }

    /// Sends bytes unmodified.
    pub(crate) async fn write(
        &mut self,
        stage: &'static str,
        bytes: &[u8],
        wait: Duration,
    ) -> Result<(), SessionError> {
        let written = timeout(wait, async {
            self.stream.write_all(bytes).await?;
            self.stream.flush().await
        });
        match written.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(SessionError::Broken { stage }),
            Err(_) => Err(SessionError::TimedOut { stage }),
        }
    }

    /// Reads one reply.
    pub(crate) async fn reply(&mut self, stage: &'static str, wait: Duration) -> Result<ServerReply, SessionError> {
        match timeout(wait, self.read_reply(stage)).await {
            Ok(reply) => reply,
            Err(_) => Err(SessionError::TimedOut { stage }),
        }
    }

    /// Returns the stream for a TLS handshake. A reply that was not requested yet is an error.
    pub(crate) fn into_stream(self) -> Result<Box<dyn ClientStream>, SessionError> {
        if self.stream.buffer().is_empty() { Ok(self.stream.into_inner()) } else { Err(SessionError::InjectedReply) }
    }

    /// Counts a message on this connection and returns the total.
    pub(crate) fn count_message(&mut self) -> usize {
        self.messages += 1;
        self.messages
    }

    /// Marks the previous message as accepted, which also resets the session (RFC 5321, section 4.1.1.4).
    pub(crate) fn mark_accepted(&mut self) {
        self.accepted_at = Some(Instant::now());
    }

    /// Returns whether the connection accepts another message: the previous one was accepted just now, or RSET
    /// succeeds.
    pub(crate) async fn is_ready(&mut self, times: &ClientTimeouts) -> bool {
        let is_fresh = self.accepted_at.take().is_some_and(|accepted_at| accepted_at.elapsed() < times.liveness_ttl);
        is_fresh || self.command("RSET", "RSET", times.liveness_check).await.is_ok_and(|reply| reply.is_positive())
    }

    /// Ends the session with QUIT. The reply does not matter.
    pub(crate) async fn quit(mut self) {
        let _ = self.command("QUIT", "QUIT", QUIT_TIMEOUT).await;
    }

    async fn read_reply(&mut self, stage: &'static str) -> Result<ServerReply, SessionError> {
        let mut lines = Vec::new();
        let mut first_code = None;
        while lines.len() < MAX_REPLY_LINES {
            let line = self.read_line().await.map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => SessionError::InvalidReply { stage },
                _ => SessionError::Broken { stage },
            })?;
            let (code, more, text) = parse_reply_line(&line).ok_or(SessionError::InvalidReply { stage })?;
            if *first_code.get_or_insert(code) != code {
                break;
            }
            lines.push(text);
            if !more {
                return Ok(ServerReply { code, lines });
            }
        }
        Err(SessionError::InvalidReply { stage })
    }

    /// Reads a line without its end, LF or CRLF.
    async fn read_line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let waiting = self.stream.fill_buf().await?;
            if waiting.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let end = memchr(b'\n', waiting);
            let piece = &waiting[..end.unwrap_or(waiting.len())];
            if line.len() + piece.len() > MAX_REPLY_LINE_BYTES {
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
