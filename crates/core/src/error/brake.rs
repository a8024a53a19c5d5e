//! Refusals by the brake on sending.

use time::OffsetDateTime;

use crate::model::SLOWED_PER_DAY;

/// Refusal of a message of an organization whose mail bounces or is reported as spam too often.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrakeRefusal {
    /// Nothing is sent until an operator lifts the brake.
    #[error("the sending of the organization is held: {reason}")]
    Held {
        /// The rate and its limit.
        reason: String,
    },
    /// The organization has sent its messages of the day.
    #[error("the organization is slowed to {SLOWED_PER_DAY} messages a day: {reason}")]
    Slowed {
        /// The rate and its limit.
        reason: String,
        /// The next 00:00 UTC.
        resets_at: OffsetDateTime,
    },
}
