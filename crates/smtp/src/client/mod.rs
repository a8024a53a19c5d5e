//! What every SMTP client of ours has in common: a session, and one mail over it.
//!
//! ```text
//! connection.rs   commands out, replies in, each within its time and size
//! opening.rs      greeting, EHLO, STARTTLS
//! tls.rs          whose certificates are trusted
//! envelope.rs     what is to be said before the content
//! transaction.rs  one mail: MAIL, RCPT for each recipient, DATA
//! ledger.rs       what became of each recipient
//! trouble.rs      what can go wrong
//! ```

pub(crate) mod capabilities;
pub(crate) mod connection;
pub(crate) mod envelope;
pub(crate) mod ledger;
pub(crate) mod opening;
#[cfg(test)]
pub(crate) mod peer;
pub(crate) mod reply;
pub(crate) mod stuffing;
mod timeouts;
pub(crate) mod tls;
pub(crate) mod transaction;
pub(crate) mod trouble;

pub use timeouts::Timeouts;

/// How many mails go over one connection; many servers count them too.
pub(crate) const MAILS_PER_CONNECTION: usize = 100;

/// Reads the lines of a server as a reply, also as the one to EHLO, and says it in our words; `None` when it is none.
#[must_use]
pub fn words_of_reply(said: &[u8]) -> Option<String> {
    let mut reply = reply::Reply { code: 0, lines: Vec::new() };
    for line in said.split(|&octet| octet == b'\n') {
        let (code, _, text) = reply::parse_line(line.strip_suffix(b"\r").unwrap_or(line))?;
        reply.code = code;
        reply.lines.push(text);
    }
    let _ = capabilities::Capabilities::read(&reply);
    Some(reply.words())
}

/// Whether a name can be said in EHLO: one word of printable ASCII.
pub(crate) fn can_be_said(hostname: &str) -> bool {
    !hostname.is_empty() && hostname.len() <= 255 && hostname.bytes().all(|b| b.is_ascii_graphic())
}
