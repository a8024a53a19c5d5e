//! Pace at which a client must read a response.

use std::time::Duration;

use tokio::time::Instant;

/// Average rate in bytes per second at which a client must read.
const MIN_READ_RATE: u64 = 128 * 1024;

/// Pace of a client that reads a response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadPace {
    started: Instant,
    stall_timeout: Duration,
    /// Bytes that the connection of the client has accepted.
    accepted: u64,
    /// Begin of the present wait of the client for bytes of the server.
    waiting_since: Option<Instant>,
}

impl ReadPace {
    /// Begins a response. `stall_timeout` is the time for which the client may read nothing, and the time before the
    /// average rate applies.
    pub(crate) fn new(stall_timeout: Duration) -> Self {
        Self { started: Instant::now(), stall_timeout, accepted: 0, waiting_since: None }
    }

    /// Records that the server has no bytes for the client.
    pub(crate) fn pause(&mut self) {
        self.waiting_since.get_or_insert_with(Instant::now);
    }

    /// Records that the server has bytes for the client again: the time since the pause is not that of the client.
    pub(crate) fn resume(&mut self) {
        if let Some(since) = self.waiting_since.take() {
            self.started += since.elapsed();
        }
    }

    /// Records accepted bytes.
    pub(crate) fn record(&mut self, bytes: usize) {
        self.accepted = self.accepted.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// Returns the time until which the client must accept further bytes.
    pub(crate) fn deadline(&self) -> Instant {
        let waited = self.waiting_since.map_or(Duration::ZERO, |since| since.elapsed());
        let of_rate = self.started + waited + Duration::from_secs(self.accepted / MIN_READ_RATE);
        of_rate.min(Instant::now()) + self.stall_timeout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn client_must_read_without_stalls_and_at_average_rate() {
        let (start, stall) = (Instant::now(), Duration::from_secs(10));
        let mut pace = ReadPace::new(stall);
        assert_eq!(pace.deadline(), start + stall);
        pace.record(10 * 1024 * 1024);
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(pace.deadline(), start + Duration::from_secs(15), "no stall, whatever was read before");
        tokio::time::advance(Duration::from_secs(85)).await;
        pace.record(1);
        assert_eq!(pace.deadline(), start + Duration::from_secs(90), "10 MiB in 80 s, and the time before");
    }

    #[tokio::test(start_paused = true)]
    async fn waits_for_the_server_do_not_count() {
        let stall = Duration::from_secs(10);
        let mut pace = ReadPace::new(stall);
        pace.pause();
        tokio::time::advance(Duration::from_secs(15)).await;
        assert_eq!(pace.deadline(), Instant::now() + stall, "the wait lasts");
        pace.pause();
        tokio::time::advance(Duration::from_secs(15)).await;
        pace.resume();
        let resumed = Instant::now();
        assert_eq!(pace.deadline(), resumed + stall);
        pace.resume();
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(pace.deadline(), resumed + stall, "the client reads nothing");
    }
}
