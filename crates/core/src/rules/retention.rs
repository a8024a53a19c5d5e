//! Retention of the messages of an inbox.

use time::{Duration, OffsetDateTime};

/// Maximum retention in days, some ten years.
pub const MAX_RETENTION_DAYS: u32 = 3650;

/// Checks a retention in days.
///
/// # Errors
/// Says what is wrong with it.
pub fn validate_days(days: u32) -> Result<(), String> {
    if (1..=MAX_RETENTION_DAYS).contains(&days) {
        return Ok(());
    }
    Err(format!("must be between 1 and {MAX_RETENTION_DAYS} days"))
}

/// Returns the time before which messages have expired.
#[must_use]
pub fn expired_before(now: OffsetDateTime, days: u32) -> OffsetDateTime {
    now - Duration::days(days.into())
}
