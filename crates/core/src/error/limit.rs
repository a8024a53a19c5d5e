//! Caps.

use time::OffsetDateTime;

/// A cap that a request would cross (`service.md`, section 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitReached {
    /// Live inboxes.
    Inboxes,
    /// Custom domains.
    Domains,
    /// Mails a day; free again at this time.
    Daily {
        /// The next 00:00 UTC.
        resets_at: OffsetDateTime,
    },
    /// Mails a month; free again at this time.
    Monthly {
        /// The start of next month, UTC.
        resets_at: OffsetDateTime,
    },
    /// Pods, the default pod included.
    Pods,
    /// Octets of live messages.
    Storage,
    /// Members, the owner and invited ones included.
    Members,
    /// Webhooks.
    Webhooks,
}
