//! Brake on the sending of an organization with too many bounces or complaints.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Maximum messages per UTC day of a slowed organization.
pub const SLOWED_PER_DAY: u64 = 100;

/// Level of the brake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BrakeLevel {
    /// The organization sends few messages a day.
    Slowed,
    /// The organization sends nothing, and its queued mail waits.
    Held,
}

impl BrakeLevel {
    /// Returns the name in the API and storage.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Slowed => "slowed",
            Self::Held => "held",
        }
    }

    /// Parses a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Slowed, Self::Held].into_iter().find(|level| level.as_str() == name)
    }
}

/// An applied brake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendingBrake {
    /// The level.
    pub level: BrakeLevel,
    /// Time at which this level was applied.
    pub since: OffsetDateTime,
    /// The rate and its limit, in one sentence.
    pub reason: String,
}

/// Messages that an organization sent in the counted days, and those of them that permanently bounced or were reported
/// as spam, each message once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendingCounts {
    /// Messages accepted for delivery.
    pub sent: u64,
    /// Messages with a permanent bounce.
    pub bounced: u64,
    /// Messages with a complaint.
    pub complained: u64,
}
