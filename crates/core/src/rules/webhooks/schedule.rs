//! Retry schedule of webhook deliveries (`wire.md`, section 6).

use time::{Duration, OffsetDateTime};

/// Gaps between an attempt and the next one. After the last gap the delivery fails for good.
const RETRY_DELAYS: [Duration; 7] = [
    Duration::seconds(5),
    Duration::minutes(5),
    Duration::minutes(30),
    Duration::hours(2),
    Duration::hours(5),
    Duration::hours(10),
    Duration::hours(10),
];

/// Returns the time of the next attempt after this many failures, the last of them at `last_at`; `None` after the last
/// attempt.
#[must_use]
pub fn next_attempt(failed: u32, last_at: OffsetDateTime) -> Option<OffsetDateTime> {
    let place = usize::try_from(failed.saturating_sub(1)).ok()?;
    RETRY_DELAYS.get(place).map(|&gap| last_at + gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_attempts_are_made() {
        let first = OffsetDateTime::UNIX_EPOCH;
        let mut at = first;
        let mut moments = vec![Duration::ZERO];
        for failed in 1.. {
            let Some(next) = next_attempt(failed, at) else { break };
            at = next;
            moments.push(at - first);
        }
        let seconds: Vec<i64> = moments.into_iter().map(Duration::whole_seconds).collect();
        let (minute, hour) = (60, 3_600);
        let gaps = [0, 5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
        let expected: Vec<i64> = gaps
            .iter()
            .scan(0, |sum, gap| {
                Some({
                    *sum += gap;
                    *sum
                })
            })
            .collect();
        assert_eq!(seconds, expected);
    }

    #[test]
    fn exhausted_delivery_has_no_next_attempt() {
        for failed in [8, 9, 100, u32::MAX] {
            assert_eq!(next_attempt(failed, OffsetDateTime::UNIX_EPOCH), None);
        }
    }
}
