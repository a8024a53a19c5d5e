//! Common parts of the SMTP clients: session and mail transaction.
//!
//! ```text
//! connection.rs          commands and replies with time and size limits
//! handshake.rs           greeting, EHLO, STARTTLS
//! tls.rs                 TLS client configurations
//! envelope.rs            MAIL and RCPT commands
//! transaction.rs         one message: MAIL, RCPT for each recipient, DATA
//! dot_stuffing.rs        content of DATA
//! recipient_outcomes.rs  outcomes of the recipients
//! reply.rs               server replies
//! session_error.rs       session errors
//! ```

pub(crate) mod capabilities;
pub(crate) mod connection;
pub(crate) mod dot_stuffing;
pub(crate) mod envelope;
pub(crate) mod handshake;
pub(crate) mod recipient_outcomes;
pub(crate) mod reply;
pub(crate) mod session_error;
#[cfg(test)]
pub(crate) mod stub_server;
mod timeouts;
pub(crate) mod tls;
pub(crate) mod transaction;

pub use timeouts::ClientTimeouts;

/// Number of messages on one connection. Many servers limit it too.
pub(crate) const MAX_MESSAGES_PER_CONNECTION: usize = 100;

/// Parses the lines of a server as a reply and as an EHLO response, and returns the reply text. Returns `None` when
/// they are not valid.
#[must_use]
pub fn parse_reply_text(reply_bytes: &[u8]) -> Option<String> {
    let mut reply = reply::ServerReply { code: 0, lines: Vec::new() };
    for line in reply_bytes.split(|&byte| byte == b'\n') {
        let (code, _, text) = reply::parse_reply_line(line.strip_suffix(b"\r").unwrap_or(line))?;
        reply.code = code;
        reply.lines.push(text);
    }
    let _ = capabilities::ServerCapabilities::read(&reply);
    Some(reply.to_text())
}

/// Returns whether a name is valid in EHLO: one word of printable ASCII.
pub(crate) fn is_ehlo_name(hostname: &str) -> bool {
    !hostname.is_empty() && hostname.len() <= 255 && hostname.bytes().all(|b| b.is_ascii_graphic())
}
