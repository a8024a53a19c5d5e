//! Usage of organizations, stored so that nothing is counted on demand and no writer waits for another.

/// Change of the usage of an inbox by one unit of work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageChange {
    /// Bytes of live messages, drafts, notes and files.
    pub storage_bytes: i64,
    /// Live messages.
    pub messages: i64,
    /// Live threads.
    pub threads: i64,
}

impl UsageChange {
    /// Returns a change of size without a new message.
    #[must_use]
    pub fn resized(before: u64, after: u64) -> Self {
        let signed = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
        Self { storage_bytes: signed(after) - signed(before), ..Self::default() }
    }
}

/// Messages sent by an organization.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendCounts {
    /// Messages since 00:00 UTC.
    pub today: u64,
    /// Messages since the first of the month, 00:00 UTC.
    pub this_month: u64,
}
