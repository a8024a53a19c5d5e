use inboxd_core::model::{Organization, Plan, PlanLimits, SendCounts};
use inboxd_core::rules::limits::{allow_inbox, allow_send, allow_storage};
use inboxd_core::testing::fixtures::{self, NOW};
use inboxd_core::{Error, LimitReached};
use time::OffsetDateTime;
use time::macros::datetime;

fn on(plan: Plan) -> Organization {
    Organization { plan, ..fixtures::organization() }
}

fn reached(refused: Result<(), Error>) -> (LimitReached, u64, bool) {
    match refused {
        Err(Error::LimitReached { which, limit, verified }) => (which, limit, verified),
        other => panic!("no limit: {other:?}"),
    }
}

/// Inboxes, mails a month, mails a day, domains, pods, webhooks, bytes, members.
type Row = [Option<u64>; 8];

fn row(limits: PlanLimits) -> Row {
    [
        limits.inboxes,
        limits.emails_per_month,
        limits.emails_per_day,
        limits.domains,
        limits.pods,
        limits.webhooks,
        limits.storage_bytes,
        limits.members,
    ]
}

#[test]
fn plan_caps_match_specification() {
    let gb = 1_000_000_000;
    let table: [(Plan, Row); 4] = [
        (Plan::Free, [Some(3), Some(1_000), Some(100), Some(1), Some(2), Some(2), Some(gb), Some(25)]),
        (Plan::Startup, [Some(25), Some(10_000), None, Some(10), Some(5), Some(10), Some(25 * gb), Some(100)]),
        (Plan::Business, [Some(250), Some(100_000), None, Some(100), Some(25), Some(50), Some(250 * gb), Some(1_000)]),
        (Plan::Enterprise, [None; 8]),
    ];
    for (plan, expected) in table {
        assert_eq!(row(on(plan).limits()), expected, "{plan}");
    }
}

#[test]
fn unverified_owner_has_unverified_caps_on_every_plan() {
    let expected = [Some(1), Some(100), Some(10), Some(0), Some(2), Some(0), Some(1_000_000_000), Some(25)];
    for plan in Plan::ALL {
        let organization = Organization { plan, ..fixtures::unverified() };
        assert_eq!(row(organization.limits()), expected, "{plan}");
        assert_eq!(row(organization.verified(NOW).limits()), row(PlanLimits::of(plan)), "{plan}");
    }
}

#[test]
fn last_one_within_cap_is_allowed_and_next_refused() {
    let free = on(Plan::Free);
    assert!(allow_inbox(&free, 2).is_ok());
    assert_eq!(reached(allow_inbox(&free, 3)), (LimitReached::Inboxes, 3, true));
    assert_eq!(reached(allow_inbox(&fixtures::unverified(), 1)), (LimitReached::Inboxes, 1, false));

    assert!(allow_storage(&free, 999_999_999).is_ok());
    assert_eq!(reached(allow_storage(&free, 1_000_000_000)), (LimitReached::Storage, 1_000_000_000, true));

    let sent = |today, this_month| SendCounts { today, this_month };
    let resets_at = datetime!(2026-11-21 00:00 UTC);
    assert!(allow_send(&free, sent(99, 999), NOW).is_ok());
    assert_eq!(reached(allow_send(&free, sent(100, 999), NOW)), (LimitReached::Daily { resets_at }, 100, true));
    let resets_at = datetime!(2026-12-01 00:00 UTC);
    assert_eq!(reached(allow_send(&free, sent(99, 1_000), NOW)), (LimitReached::Monthly { resets_at }, 1_000, true));
}

#[test]
fn longer_lasting_cap_is_named_when_both_are_reached() {
    let all = SendCounts { today: 100, this_month: 1_000 };
    let (which, ..) = reached(allow_send(&on(Plan::Free), all, NOW));
    assert_eq!(which, LimitReached::Monthly { resets_at: datetime!(2026-12-01 00:00 UTC) });
}

#[test]
fn enterprise_has_no_cap() {
    let most = SendCounts { today: u64::MAX, this_month: u64::MAX };
    assert!(allow_send(&on(Plan::Enterprise), most, NOW).is_ok());
    assert!(allow_inbox(&on(Plan::Enterprise), u64::MAX).is_ok());
    assert!(allow_storage(&on(Plan::Enterprise), u64::MAX).is_ok());
    assert!(allow_send(&on(Plan::Startup), SendCounts { today: u64::MAX, this_month: 9_999 }, NOW).is_ok());
}

#[test]
fn caps_reset_at_next_midnight_and_next_month() {
    let table: [(OffsetDateTime, OffsetDateTime, OffsetDateTime); 7] = [
        (datetime!(2026-11-20 00:00 UTC), datetime!(2026-11-21 00:00 UTC), datetime!(2026-12-01 00:00 UTC)),
        (datetime!(2026-11-30 23:59:59.999 UTC), datetime!(2026-12-01 00:00 UTC), datetime!(2026-12-01 00:00 UTC)),
        (datetime!(2026-12-31 23:59:59.999 UTC), datetime!(2027-01-01 00:00 UTC), datetime!(2027-01-01 00:00 UTC)),
        (datetime!(2026-12-01 00:00 UTC), datetime!(2026-12-02 00:00 UTC), datetime!(2027-01-01 00:00 UTC)),
        (datetime!(2028-02-28 12:00 UTC), datetime!(2028-02-29 00:00 UTC), datetime!(2028-03-01 00:00 UTC)),
        (datetime!(2027-02-28 12:00 UTC), datetime!(2027-03-01 00:00 UTC), datetime!(2027-03-01 00:00 UTC)),
        (datetime!(2026-01-31 07:00 UTC), datetime!(2026-02-01 00:00 UTC), datetime!(2026-02-01 00:00 UTC)),
    ];
    for (now, day, month) in table {
        let daily = allow_send(&on(Plan::Free), SendCounts { today: 100, this_month: 0 }, now);
        assert_eq!(reached(daily).0, LimitReached::Daily { resets_at: day }, "{now}");
        let monthly = allow_send(&on(Plan::Free), SendCounts { today: 0, this_month: 1_000 }, now);
        assert_eq!(reached(monthly).0, LimitReached::Monthly { resets_at: month }, "{now}");
    }
}
