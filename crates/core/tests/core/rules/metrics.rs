use inboxd_core::Error;
use inboxd_core::model::metrics::{TimeSpan, UsageSample, UsageTotals};
use inboxd_core::rules::metrics::{MAX_BUCKETS, MetricWindow, series, span};
use inboxd_core::testing::fixtures::NOW;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

const LATEST: OffsetDateTime = datetime!(2026-11-20 10:00:00.001 UTC);

fn paths(refused: Result<TimeSpan, Error>) -> Vec<String> {
    match refused {
        Err(Error::Invalid(fields)) => fields.into_iter().map(|field| field.path).collect(),
        other => panic!("not a validation error: {other:?}"),
    }
}

#[test]
fn default_window_is_last_24_hours_by_hour() {
    let days = Duration::days;
    let table = [
        (None, None, None, LATEST - days(1), LATEST, 3600),
        (Some(NOW - days(7)), None, None, NOW - days(7), LATEST, 3600),
        (None, Some(NOW - days(7)), None, NOW - days(8), NOW - days(7), 3600),
        (Some(NOW - days(3)), Some(NOW - days(1)), Some(60), NOW - days(3), NOW - days(1), 60),
        // The future is cut off.
        (Some(NOW - days(3)), Some(NOW + days(1)), Some(120), NOW - days(3), LATEST, 120),
        (Some(NOW + days(1)), Some(NOW + days(2)), None, NOW + days(1), NOW + days(1), 3600),
        (Some(NOW + days(1)), None, None, NOW + days(1), NOW + days(1), 3600),
        (Some(NOW), Some(NOW), None, NOW, NOW, 3600),
    ];
    for (start, end, period, from, to, seconds) in table {
        let found = span(MetricWindow { start, end, period }, NOW).unwrap();
        assert_eq!(found, TimeSpan { start: from, end: to, period: seconds }, "{start:?} {end:?} {period:?}");
    }
}

#[test]
fn period_below_60_seconds_or_with_fractional_minutes_is_refused() {
    for period in [0, 1, 30, 59, 61, 90, 3599, 90 * 24 * 3600 + 60, u64::MAX] {
        let refused = span(MetricWindow { period: Some(period), ..MetricWindow::default() }, NOW);
        assert_eq!(paths(refused), ["period"], "{period}");
    }
    for period in [60, 120, 3600, 86_400, 90 * 24 * 3600] {
        assert!(span(MetricWindow { period: Some(period), ..MetricWindow::default() }, NOW).is_ok(), "{period}");
    }
}

#[test]
fn window_ending_before_its_start_is_refused_with_all_faults() {
    let window = MetricWindow { start: Some(NOW), end: Some(NOW - Duration::SECOND), period: Some(1) };
    assert_eq!(paths(span(window, NOW)), ["period", "start"]);
}

#[test]
fn window_above_90_days_or_10_000_buckets_is_too_wide() {
    let (days, minutes) = (Duration::days, Duration::minutes);
    let past = NOW - days(1000);
    let day = 24 * 3600;
    let table = [
        (NOW - days(90), None, day, true),
        (NOW - days(90) - Duration::seconds(50), None, day, true),
        (NOW - days(90) - minutes(2), None, day, false),
        (past, Some(past + days(90)), day, true),
        (past, Some(past + days(90) + Duration::MILLISECOND), day, false),
        (past, None, day, false),
        (past, Some(past + minutes(MAX_BUCKETS)), 60, true),
        (past, Some(past + minutes(MAX_BUCKETS) + Duration::MILLISECOND), 60, false),
        // A window of that many buckets that starts inside a bucket has one more.
        (past + Duration::SECOND, Some(past + minutes(MAX_BUCKETS) + Duration::SECOND), 60, false),
        (past + Duration::SECOND, Some(past + minutes(MAX_BUCKETS)), 60, true),
        (past + minutes(1), Some(past + minutes(2 * MAX_BUCKETS + 1)), 120, false),
        (past + minutes(1), Some(past + minutes(2 * MAX_BUCKETS)), 120, true),
        (NOW - minutes(MAX_BUCKETS), None, 60, true),
        (NOW - days(7), None, 60, false),
        (NOW - days(7), None, 120, true),
        (datetime!(0000-01-01 00:00 UTC), Some(datetime!(9999-12-31 23:59:59 UTC)), day, false),
    ];
    for (start, end, period, is_fine) in table {
        let found = span(MetricWindow { start: Some(start), end, period: Some(period) }, NOW);
        assert_eq!(found.is_ok(), is_fine, "{start} {end:?} {period}");
        assert!(is_fine || matches!(found, Err(Error::QueryRangeTooWide(_))));
    }
}

#[test]
fn partly_outside_bucket_counts() {
    let at = |minute: i64| datetime!(2026-11-20 08:00 UTC) + Duration::minutes(minute);
    let milli = Duration::MILLISECOND;
    for (start, end, count) in [
        (at(0), at(0), 0),
        (at(0), at(0) + milli, 1),
        (at(0), at(60), 1),
        (at(0), at(60) + milli, 2),
        (at(59), at(61), 2),
        (at(30), at(150), 3),
        (datetime!(1969-12-31 23:30 UTC), datetime!(1970-01-01 00:30 UTC), 2),
    ] {
        assert_eq!(span_of(start, end).bucket_count(), count, "{start} {end}");
    }
}

fn span_of(start: OffsetDateTime, end: OffsetDateTime) -> TimeSpan {
    TimeSpan { start, end, period: 3600 }
}

#[test]
fn buckets_start_on_whole_periods() {
    let table = [
        (datetime!(2026-11-20 08:00 UTC), datetime!(2026-11-20 10:00 UTC), &[8, 9][..]),
        (datetime!(2026-11-20 07:00:00.001 UTC), datetime!(2026-11-20 10:00:00.001 UTC), &[8, 9, 10]),
        (datetime!(2026-11-20 07:59:59 UTC), datetime!(2026-11-20 08:00 UTC), &[]),
        (datetime!(9999-12-31 23:59:59 UTC), datetime!(9999-12-31 23:59:59 UTC), &[]),
    ];
    for (start, end, hours) in table {
        let found: Vec<OffsetDateTime> = span_of(start, end).beginnings().collect();
        let expected: Vec<OffsetDateTime> =
            hours.iter().map(|hour| datetime!(2026-11-20 00:00 UTC) + Duration::hours(*hour)).collect();
        assert_eq!(found, expected, "{start}");
    }
}

fn sample(taken_at: OffsetDateTime, messages: u64) -> UsageSample {
    UsageSample { taken_at, totals: UsageTotals { message_count: messages, ..UsageTotals::default() } }
}

#[test]
fn point_has_value_of_last_earlier_sample_and_last_point_is_current() {
    let hour = |hour: i64| datetime!(2026-11-20 00:00 UTC) + Duration::hours(hour);
    let minute = Duration::MINUTE;
    let samples = [sample(hour(6) + minute, 1), sample(hour(8), 2), sample(hour(8) + minute, 3)];
    let now = sample(NOW + minute, 9);
    let drawn = |start, end, samples: &[UsageSample], now| {
        let points = series(&span_of(start, end), samples, now);
        points.iter().map(|point| (point.taken_at, point.totals.message_count)).collect::<Vec<_>>()
    };
    let after_now = now.taken_at + Duration::MILLISECOND;
    let whole = [(hour(7), 1), (hour(8), 2), (hour(9), 3), (hour(10), 3), (now.taken_at, 9)];
    assert_eq!(drawn(hour(5), after_now, &samples, now), whole, "no value before the first sample");
    assert_eq!(drawn(hour(9), after_now, &samples[2..], now), whole[2..]);
    assert_eq!(drawn(hour(7), hour(9), &samples, now), whole[..2], "a window in the past has no current point");
    assert_eq!(drawn(hour(9), after_now, &[], now), whole[4..]);
    // A bucket that starts at the present is not repeated.
    let sharp = sample(NOW, 9);
    assert_eq!(drawn(hour(9), NOW + Duration::MILLISECOND, &samples, sharp), [(hour(9), 3), (NOW, 9)]);
}
