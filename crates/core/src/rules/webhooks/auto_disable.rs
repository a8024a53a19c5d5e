//! Automatic disabling of webhooks after five days of failures alone (`wire.md`, section 6).

use time::{Duration, OffsetDateTime};

/// Length of a failure streak that disables a webhook.
pub const GIVE_UP_AFTER: Duration = Duration::days(5);

/// Maximum pause between two failures of a streak. Over a longer pause the state of the receiver is unknown, so one old
/// and one new failure are not five days of failures. Attempts of one delivery are closer together.
pub const MAX_FAILURE_PAUSE: Duration = Duration::hours(24);

/// Failures without a success in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureStreak {
    /// Time of the first failure.
    pub since: OffsetDateTime,
    /// Time of the last failure.
    pub last_at: OffsetDateTime,
}

impl FailureStreak {
    /// Returns the streak after one more failure.
    #[must_use]
    pub fn after(run: Option<Self>, at: OffsetDateTime) -> Self {
        match run {
            Some(run) if at - run.last_at <= MAX_FAILURE_PAUSE => Self { last_at: run.last_at.max(at), ..run },
            _ => Self { since: at, last_at: at },
        }
    }

    /// Returns whether the streak is long enough to disable the webhook.
    #[must_use]
    pub fn should_disable(&self) -> bool {
        self.last_at - self.since >= GIVE_UP_AFTER
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hours(hours: i64) -> OffsetDateTime {
        OffsetDateTime::UNIX_EPOCH + Duration::hours(hours)
    }

    fn run(failures: &[i64]) -> Option<FailureStreak> {
        failures.iter().fold(None, |run, &at| Some(FailureStreak::after(run, hours(at))))
    }

    #[test]
    fn five_days_of_failures_disable() {
        for (failures, hopeless) in [
            (&[][..], false),
            (&[0], false),
            (&[0, 24, 48, 72, 96], false),
            (&[0, 24, 48, 72, 96, 119], false),
            (&[0, 24, 48, 72, 96, 120], true),
            // A single old failure and a new one.
            (&[0, 120], false),
            // The pause begins a new streak, which must last as long again.
            (&[0, 24, 48, 73, 97, 120], false),
            (&[0, 25, 49, 73, 97, 121, 145], true),
        ] {
            assert_eq!(run(failures).is_some_and(|run| run.should_disable()), hopeless, "{failures:?}");
        }
    }

    #[test]
    fn failures_in_any_order_yield_the_same_streak() {
        assert_eq!(run(&[10, 4, 12]), Some(FailureStreak { since: hours(10), last_at: hours(12) }));
    }

    proptest! {
        #[test]
        fn hopeless_is_a_run_without_a_long_pause(mut failures in prop::collection::vec(0_i64..400, 1..60)) {
            failures.sort_unstable();
            let begin = failures.windows(2).rposition(|pair| pair[1] - pair[0] > 24).map_or(0, |pause| pause + 1);
            let length = failures[failures.len() - 1] - failures[begin];
            prop_assert_eq!(run(&failures).is_some_and(|run| run.should_disable()), length >= 120);
        }
    }
}
