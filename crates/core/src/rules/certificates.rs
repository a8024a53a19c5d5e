//! Times of certificate renewals and of repeated orders.

use time::{Duration, OffsetDateTime};

use crate::model::certificate::CertificateState;

/// Interval of queries for the renewal window when the server names none.
const DEFAULT_CHECK_INTERVAL: Duration = Duration::hours(6);
/// Bounds of that interval (RFC 9773, section 4.3.2).
const CHECK_INTERVALS: (Duration, Duration) = (Duration::minutes(1), Duration::DAY);
/// Gaps after failed orders; the last one repeats. Public authorities allow five failed validations of a name per hour.
const RETRY_DELAYS: [Duration; 7] = [
    Duration::minutes(2),
    Duration::minutes(10),
    Duration::minutes(30),
    Duration::hours(1),
    Duration::hours(3),
    Duration::hours(6),
    Duration::hours(12),
];

/// Work that a certificate needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateWork {
    /// An order.
    Order,
    /// A query for the renewal window.
    Check,
}

/// Random fraction of a range: 0 is its start, [`u32::MAX`] its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jitter(pub u32);

impl Jitter {
    fn of(self, range: Duration) -> Duration {
        range * (f64::from(self.0) / f64::from(u32::MAX))
    }
}

/// Returns the work that is due.
#[must_use]
pub fn due_work(state: &CertificateState, now: OffsetDateTime) -> Option<CertificateWork> {
    if state.retry_at.is_some_and(|at| now < at) {
        return None;
    }
    match &state.certificate {
        None => Some(CertificateWork::Order),
        Some((_, plan)) if now >= plan.renew_at => Some(CertificateWork::Order),
        Some((_, plan)) if now >= plan.check_at => Some(CertificateWork::Check),
        Some(_) => None,
    }
}

/// Returns the time of renewal without a window of the server: between 60 % and two thirds of the lifetime, so that the
/// certificates of a farm are not renewed at once.
#[must_use]
pub fn renewal_time(valid_from: OffsetDateTime, valid_until: OffsetDateTime, jitter: Jitter) -> OffsetDateTime {
    let lifetime = (valid_until - valid_from).max(Duration::ZERO);
    let (first, last) = (lifetime * 3 / 5, lifetime * 2 / 3);
    valid_from + first + jitter.of(last - first)
}

/// Returns the time of renewal by the window of the server (RFC 9773, section 4.2): the current one if it lies within,
/// else a random one. A time in the past means at once.
#[must_use]
pub fn plan_in_window(
    current: Option<OffsetDateTime>,
    start: OffsetDateTime,
    end: OffsetDateTime,
    jitter: Jitter,
) -> OffsetDateTime {
    match current {
        Some(current) if current >= start && current <= end => current,
        _ => start + jitter.of((end - start).max(Duration::ZERO)),
    }
}

/// Returns a time of renewal within the lifetime, also with a wrong clock or an unusable window: at the latest when a
/// twentieth of the lifetime remains, and for a certificate issued at `issued_at` not before a hundredth is over, so that
/// no order follows the other at once.
#[must_use]
pub fn bounded_renewal(
    renew_at: OffsetDateTime,
    issued_at: Option<OffsetDateTime>,
    valid_from: OffsetDateTime,
    valid_until: OffsetDateTime,
) -> OffsetDateTime {
    let lifetime = (valid_until - valid_from).max(Duration::ZERO);
    let bounded = renew_at.min(valid_until - lifetime / 20);
    issued_at.map_or(bounded, |issued_at| bounded.max(issued_at + lifetime / 100))
}

/// Returns the time of the next query for the window, after the interval of the server if there is one.
#[must_use]
pub fn next_check(now: OffsetDateTime, interval: Option<Duration>) -> OffsetDateTime {
    let (least, most) = CHECK_INTERVALS;
    now + interval.unwrap_or(DEFAULT_CHECK_INTERVAL).clamp(least, most)
}

/// Returns the time of the next order after this number of consecutive failures, later by up to a tenth of the gap.
#[must_use]
pub fn retry_time(failures: u32, now: OffsetDateTime, jitter: Jitter) -> OffsetDateTime {
    let place = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX);
    let gap = RETRY_DELAYS.get(place).or(RETRY_DELAYS.last()).copied().unwrap_or(Duration::HOUR);
    now + gap + jitter.of(gap / 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::certificate::{IssuedCertificate, RenewalPlan};

    const START: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn hours(hours: i64) -> OffsetDateTime {
        START + Duration::hours(hours)
    }

    #[test]
    fn renewal_is_between_three_fifths_and_two_thirds_of_lifetime() {
        for (jitter, expected) in [(0, 54), (u32::MAX, 60)] {
            assert_eq!(renewal_time(hours(0), hours(90), Jitter(jitter)), hours(expected));
        }
        assert_eq!(renewal_time(hours(5), hours(1), Jitter(7)), hours(5), "the times are reversed");
    }

    #[test]
    fn renewal_within_window_keeps_its_time() {
        let table = [
            (None, 0, 10),
            (None, u32::MAX, 20),
            (Some(hours(13)), u32::MAX, 13),
            (Some(hours(21)), 0, 10),
            (Some(hours(9)), u32::MAX, 20),
        ];
        for (current, jitter, expected) in table {
            assert_eq!(plan_in_window(current, hours(10), hours(20), Jitter(jitter)), hours(expected), "{current:?}");
        }
        assert_eq!(plan_in_window(None, hours(10), hours(3), Jitter(u32::MAX)), hours(10), "the times are reversed");
    }

    #[test]
    fn renewal_is_bounded_by_lifetime() {
        let table = [
            (60, None, 60),
            (200, None, 95),
            (-50, None, -50),
            (60, Some(0), 60),
            (-50, Some(10), 11),
            (60, Some(2000), 2001),
        ];
        for (renew_at, issued_at, expected) in table {
            let renewal = bounded_renewal(hours(renew_at), issued_at.map(hours), hours(0), hours(100));
            assert_eq!(renewal, hours(expected), "{renew_at} {issued_at:?}");
        }
        assert_eq!(bounded_renewal(hours(7), None, hours(5), hours(1)), hours(1), "the times are reversed");
    }

    #[test]
    fn gaps_of_orders_grow_and_end() {
        let gap = |failures| retry_time(failures, START, Jitter(0)) - START;
        assert!((1..20).all(|failures| gap(failures) <= gap(failures + 1)));
        assert_eq!((gap(0), gap(1)), (Duration::minutes(2), Duration::minutes(2)));
        assert_eq!(gap(u32::MAX), Duration::hours(12));
        let first_hour = (1..).scan(Duration::ZERO, |sum, failures| {
            *sum += gap(failures);
            (*sum <= Duration::HOUR).then_some(())
        });
        assert!(first_hour.count() < 5, "five failures an hour are the limit of public authorities");
        assert_eq!(retry_time(1, START, Jitter(u32::MAX)) - START, Duration::seconds(132));
    }

    #[test]
    fn interval_of_server_is_bounded() {
        let table = [
            (None, Duration::hours(6)),
            (Some(Duration::ZERO), Duration::minutes(1)),
            (Some(Duration::hours(7)), Duration::hours(7)),
            (Some(Duration::days(30)), Duration::DAY),
        ];
        for (interval, expected) in table {
            assert_eq!(next_check(START, interval) - START, expected, "{interval:?}");
        }
    }

    #[test]
    fn work_is_due_at_its_time_unless_order_waits() {
        let certificate = IssuedCertificate {
            chain: String::new(),
            sealed_key: Vec::new(),
            valid_from: hours(0),
            valid_until: hours(90),
        };
        let plan = RenewalPlan { renew_at: hours(60), check_at: hours(6) };
        let issued = CertificateState { certificate: Some((certificate, plan)), ..CertificateState::default() };
        let waiting = |state: &CertificateState| CertificateState { retry_at: Some(hours(100)), ..state.clone() };
        let none = CertificateState::default();
        let table = [
            (none.clone(), 0, Some(CertificateWork::Order)),
            (waiting(&none), 99, None),
            (waiting(&none), 100, Some(CertificateWork::Order)),
            (issued.clone(), 5, None),
            (issued.clone(), 6, Some(CertificateWork::Check)),
            (issued.clone(), 60, Some(CertificateWork::Order)),
            (waiting(&issued), 60, None),
        ];
        for (state, hour, expected) in table {
            assert_eq!(due_work(&state, hours(hour)), expected, "hour {hour} of {state:?}");
        }
    }
}
