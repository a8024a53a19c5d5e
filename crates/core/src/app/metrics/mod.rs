//! Counts over time: of events, and of what is used.

mod events;
mod sample;
mod usage;

pub use events::{EventSeries, events};
pub use sample::{hour_of, sample_usage};
pub use usage::{UsageSeries, usage};

use crate::model::Direction;

/// Which buckets of a series are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The most of each series; `None` is all.
    pub limit: Option<usize>,
    /// Which end comes first, and is left when there are more.
    pub direction: Direction,
}

impl Default for Cut {
    /// All of each series, oldest first.
    fn default() -> Self {
        Self { limit: None, direction: Direction::Ascending }
    }
}

impl Cut {
    /// A series, oldest first, as it is answered.
    fn of<T>(self, mut series: Vec<T>) -> Vec<T> {
        if self.direction == Direction::Descending {
            series.reverse();
        }
        series.truncate(self.limit.unwrap_or(usize::MAX));
        series
    }
}
