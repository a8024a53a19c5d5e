//! Fields that may stand once, and mail to which somebody added another.
//!
//! We show the first of several, as most readers do; a signature covers the last (RFC 6376, section 5.4.2). Whoever sends a
//! signed mail again can put a subject, recipients or a type of content above those that were signed.

use mail_auth::AuthenticatedMessage;

/// Fields that may stand once (RFC 5322, section 3.6; RFC 2045; RFC 2183).
const SINGULAR: [&str; 16] = [
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

/// How often a field stands.
#[derive(Clone, Copy)]
struct Standing {
    name: &'static str,
    times: usize,
    /// Whether there is one that readers understand and signatures do not cover: with a blank before the colon.
    is_odd: bool,
}

/// The fields that stand more often than once, or oddly.
pub(super) struct Suspects(Vec<Standing>);

impl Suspects {
    /// Those of a mail.
    pub(super) fn of(message: &AuthenticatedMessage<'_>) -> Self {
        let mut standings = SINGULAR.map(|name| Standing { name, times: 0, is_odd: false });
        for (name, _) in &message.headers {
            let written = name.trim_ascii();
            let is_it = |standing: &&mut Standing| written.eq_ignore_ascii_case(standing.name.as_bytes());
            if let Some(standing) = standings.iter_mut().find(is_it) {
                standing.times += 1;
                standing.is_odd |= written.len() != name.len();
            }
        }
        Self(standings.into_iter().filter(|standing| standing.times > 1 || standing.is_odd).collect())
    }

    /// Whether one of them is not covered by a signature that lists these names.
    pub(super) fn evade(&self, signed: &[String]) -> bool {
        self.0.iter().any(|standing| {
            let covered = signed.iter().filter(|name| name.eq_ignore_ascii_case(standing.name)).count();
            standing.times > covered.max(1) || (standing.is_odd && covered > 0)
        })
    }
}
