//! Duplicates of header fields that may occur once.
//!
//! The first of several fields is displayed, as in most mail clients. A signature covers the last one (RFC 6376,
//! section 5.4.2). Without this check, a signed message could be replayed with another subject, recipient or content
//! type on top.

use mail_auth::AuthenticatedMessage;

/// Fields that may occur once (RFC 5322, section 3.6; RFC 2045; RFC 2183).
const SINGLE_FIELDS: [&str; 16] = [
    "From",
    "Sender",
    "Reply-To",
    "To",
    "Cc",
    "Bcc",
    "Subject",
    "Date",
    "Message-ID",
    "In-Reply-To",
    "References",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
    "Content-ID",
    "Content-Disposition",
];

/// Number of occurrences of a field.
#[derive(Clone, Copy)]
struct HeaderCount {
    name: &'static str,
    times: usize,
    /// True when a field has a space before its colon: mail clients accept it, and signatures do not cover it.
    is_odd: bool,
}

/// Fields that occur more than once or with a space before the colon.
pub(super) struct DuplicateHeaders(Vec<HeaderCount>);

impl DuplicateHeaders {
    /// Returns the duplicates of a message.
    pub(super) fn of(message: &AuthenticatedMessage<'_>) -> Self {
        let mut counts = SINGLE_FIELDS.map(|name| HeaderCount { name, times: 0, is_odd: false });
        for (name, _) in &message.headers {
            let written = name.trim_ascii();
            let is_it = |count: &&mut HeaderCount| written.eq_ignore_ascii_case(count.name.as_bytes());
            if let Some(count) = counts.iter_mut().find(is_it) {
                count.times += 1;
                count.is_odd |= written.len() != name.len();
            }
        }
        Self(counts.into_iter().filter(|count| count.times > 1 || count.is_odd).collect())
    }

    /// Returns whether a signature of these names leaves one of the fields uncovered.
    pub(super) fn has_uncovered(&self, signed: &[String]) -> bool {
        self.0.iter().any(|count| {
            let covered = signed.iter().filter(|name| name.eq_ignore_ascii_case(count.name)).count();
            count.times > covered.max(1) || (count.is_odd && covered > 0)
        })
    }
}
