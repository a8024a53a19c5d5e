//! Transfer rate of a message over windows of waiting time.

use std::time::Duration;

/// Bytes and waiting time of the current window.
#[derive(Debug, Default)]
pub(super) struct TransferPace {
    waited: Duration,
    bytes: u64,
}

impl TransferPace {
    /// Records bytes and the time that the server waited for them. Its own work does not count.
    pub(super) fn note(&mut self, waited: Duration, bytes: usize) {
        self.waited += waited;
        self.bytes += bytes as u64;
    }

    /// Returns the time until the next check.
    pub(super) fn remaining(&self, window: Duration) -> Duration {
        window.saturating_sub(self.waited)
    }

    /// Checks the rate at the end of a window and begins the next one. Returns whether the client was too slow.
    pub(super) fn is_too_slow(&mut self, window: Duration, bytes_per_second: u64) -> bool {
        if self.waited < window {
            return false;
        }
        let required = self.waited.as_secs().saturating_mul(bytes_per_second);
        let is_too_slow = self.bytes < required;
        *self = Self::default();
        is_too_slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_below_the_rate_of_a_window_is_too_slow() {
        const WINDOW: Duration = Duration::from_mins(1);
        let table = [(0, 59, false), (0, 60, true), (61_439, 60, true), (61_440, 60, false), (200_000, 180, false)];
        for (bytes, seconds, expected) in table {
            let mut pace = TransferPace::default();
            pace.note(Duration::from_secs(seconds), bytes);
            assert_eq!(pace.is_too_slow(WINDOW, 1024), expected, "{bytes} bytes in {seconds} s");
        }
    }

    #[test]
    fn fast_window_does_not_excuse_slow_one() {
        const WINDOW: Duration = Duration::from_secs(10);
        let mut pace = TransferPace::default();
        pace.note(Duration::from_secs(10), 40_000_000);
        assert!(!pace.is_too_slow(WINDOW, 1024));
        pace.note(Duration::from_secs(10), 10);
        assert!(pace.is_too_slow(WINDOW, 1024));
    }
}
