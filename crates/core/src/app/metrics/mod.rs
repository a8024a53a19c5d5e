//! Use cases of metrics: event counts, rates and usage over time.

mod events;
mod rates;
mod sample;
mod usage;

pub use events::{EventSeries, events};
pub use rates::{RateSeries, rates};
pub use sample::{hour_of, sample_usage};
pub use usage::{UsageSeries, usage};

use crate::model::Direction;

/// Order and limit of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The maximum length of each series; `None` means no limit.
    pub limit: Option<usize>,
    /// The end of the series that comes first and remains under the limit.
    pub direction: Direction,
}

impl Default for Cut {
    /// Returns the order oldest first, without a limit.
    fn default() -> Self {
        Self { limit: None, direction: Direction::Ascending }
    }
}

impl Cut {
    /// Orders and shortens a series that begins with its oldest element.
    fn of<T>(self, mut series: Vec<T>) -> Vec<T> {
        if self.direction == Direction::Descending {
            series.reverse();
        }
        series.truncate(self.limit.unwrap_or(usize::MAX));
        series
    }
}
