//! Retry schedule of deferred messages (`wire.md`, section 5).

use time::{Duration, OffsetDateTime};

/// Time for which delivery is retried before the message bounces.
pub const GIVE_UP_AFTER: Duration = Duration::hours(72);

/// Attempts that every message has before it bounces, however old it is. A message that waited on hold, or while no process
/// ran, must not bounce because a server defers its first attempt, as greylisting does. They take about 23 minutes.
const MIN_ATTEMPTS: u32 = 6;

/// Age at which the sender is notified of a delay.
pub const DELAY_NOTICE_AFTER: Duration = Duration::hours(4);

/// Gaps between the first attempts; the last one repeats.
const RETRY_DELAYS: [Duration; 10] = [
    Duration::seconds(10),
    Duration::seconds(30),
    Duration::minutes(2),
    Duration::minutes(5),
    Duration::minutes(15),
    Duration::minutes(30),
    Duration::hours(1),
    Duration::hours(2),
    Duration::hours(3),
    Duration::hours(4),
];

/// Returns the time of the next attempt; `None` after the last one.
#[must_use]
pub fn next_attempt(attempts: u32, accepted_at: OffsetDateTime, now: OffsetDateTime) -> Option<OffsetDateTime> {
    let last = accepted_at + GIVE_UP_AFTER;
    if now >= last && attempts >= MIN_ATTEMPTS {
        return None;
    }
    let place = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    let gap = RETRY_DELAYS.get(place).or(RETRY_DELAYS.last()).copied().unwrap_or(Duration::HOUR);
    // One attempt coincides with the delay notification, and a last one with the deadline, however long the gap before.
    let notice = accepted_at + DELAY_NOTICE_AFTER;
    let next = now + gap;
    Some(if now < notice {
        next.min(notice)
    } else if now < last {
        next.min(last)
    } else {
        next
    })
}

/// Returns whether the sender of an undelivered message is due a delay notification.
#[must_use]
pub fn needs_delay_notice(accepted_at: OffsetDateTime, now: OffsetDateTime, is_told: bool) -> bool {
    !is_told && now >= accepted_at + DELAY_NOTICE_AFTER
}

/// Number of interrupted attempts that are retried at once.
const MAX_IMMEDIATE_RETRIES: u32 = 3;

/// Returns the time of the next attempt after an interrupted one.
///
/// It is at once, because the message was not at fault. A message whose attempts are repeatedly interrupted may be the
/// cause, so it waits as if it were deferred.
#[must_use]
pub fn after_interruption(attempts: u32, accepted_at: OffsetDateTime, now: OffsetDateTime) -> OffsetDateTime {
    if attempts <= MAX_IMMEDIATE_RETRIES {
        return now;
    }
    next_attempt(attempts, accepted_at, now).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_grow_until_the_time_is_up() {
        let start = OffsetDateTime::UNIX_EPOCH;
        let mut now = start;
        let (mut last_gap, mut moments) = (Duration::ZERO, Vec::new());
        for attempts in 1.. {
            let Some(next) = next_attempt(attempts, start, now) else { break };
            let gap = next - now;
            let is_set = [DELAY_NOTICE_AFTER, GIVE_UP_AFTER].map(|after| start + after).contains(&next);
            assert!(gap >= last_gap || is_set, "attempt {attempts}: {gap}");
            moments.push(next);
            (last_gap, now) = (gap, next);
        }
        assert_eq!(now, start + GIVE_UP_AFTER);
        assert!(moments.contains(&(start + DELAY_NOTICE_AFTER)), "{moments:?}");
    }

    #[test]
    fn first_retries_are_soon() {
        let start = OffsetDateTime::UNIX_EPOCH;
        assert_eq!(next_attempt(1, start, start), Some(start + Duration::seconds(10)));
        assert_eq!(next_attempt(2, start, start), Some(start + Duration::seconds(30)));
    }

    #[test]
    fn message_older_than_deadline_has_first_attempts() {
        let start = OffsetDateTime::UNIX_EPOCH;
        let late = start + GIVE_UP_AFTER + Duration::DAY;
        let mut now = late;
        for attempts in 1..MIN_ATTEMPTS {
            let next = next_attempt(attempts, start, now);
            assert!(next.is_some_and(|next| next > now), "attempt {attempts}: {next:?}");
            now = next.unwrap_or(now);
        }
        assert_eq!(now - late, Duration::seconds(10 + 30 + 2 * 60 + 5 * 60 + 15 * 60));
        assert_eq!(next_attempt(MIN_ATTEMPTS, start, now), None);
    }

    #[test]
    fn delay_notice_is_due_once_after_four_hours() {
        let start = OffsetDateTime::UNIX_EPOCH;
        for (after, is_told, expected) in [
            (Duration::ZERO, false, false),
            (DELAY_NOTICE_AFTER - Duration::MILLISECOND, false, false),
            (DELAY_NOTICE_AFTER, false, true),
            (DELAY_NOTICE_AFTER, true, false),
            (GIVE_UP_AFTER, false, true),
        ] {
            assert_eq!(needs_delay_notice(start, start + after, is_told), expected, "{after} {is_told}");
        }
    }

    #[test]
    fn repeatedly_interrupted_attempt_waits() {
        let start = OffsetDateTime::UNIX_EPOCH;
        for attempts in 1..=3 {
            assert_eq!(after_interruption(attempts, start, start), start);
        }
        assert_eq!(after_interruption(4, start, start), start + Duration::minutes(5));
        let late = start + GIVE_UP_AFTER;
        assert_eq!(after_interruption(MIN_ATTEMPTS, start, late), late, "one last attempt was still to come");
    }
}
