//! What an organization uses, kept so that nothing has to be counted and no writer waits for another.

/// What one unit of work changes in the usage of an inbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageChange {
    /// Bytes of live messages, drafts and notes.
    pub storage_bytes: i64,
    /// Live messages.
    pub messages: i64,
    /// Live threads.
    pub threads: i64,
}

impl UsageChange {
    /// Returns a change from one size to another that adds no message.
    #[must_use]
    pub fn resized(before: u64, after: u64) -> Self {
        let signed = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
        Self { storage_bytes: signed(after) - signed(before), ..Self::default() }
    }
}

/// How many mails an organization has sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendCounts {
    /// Since 00:00 UTC.
    pub today: u64,
    /// Since the first of the month, 00:00 UTC.
    pub this_month: u64,
}
