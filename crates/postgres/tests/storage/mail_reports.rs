//! Aggregate reports: stored once, selected, and bounded by day, sender, authentication and total.

use inboxd_core::model::mail_report::{MailReport, MailReportFilter, ReportKind, ReportLimits, ReportOutcome};
use inboxd_core::ports::{MailReportReads as _, Store};
use inboxd_mail::{AggregateReport, ReportRows};
use uuid::Uuid;

use crate::support::*;

const LIMITS: ReportLimits = ReportLimits { stored: 100, per_day: 100 };
/// Milliseconds of a day.
const DAY: u32 = 86_400_000;

/// Returns a report that was received so many milliseconds after the beginning.
fn report(number: u32, share: &str, domain: &str) -> MailReport {
    let mut digest = [0; 32];
    digest[..4].copy_from_slice(&number.to_be_bytes());
    MailReport {
        mail_report_id: Uuid::from_u128(number.into()),
        digest,
        received_at: at(number.into()),
        share: share.to_owned(),
        organization_id: None,
        base_domain: "agents.example".to_owned(),
        sender: Some(share.to_owned()),
        report: AggregateReport {
            reporter: "Receiver".to_owned(),
            report_id: "1".to_owned(),
            domain: domain.to_owned(),
            begin: 1,
            end: 2,
            rows: ReportRows::Tls(Vec::new()),
            omitted: 0,
        },
    }
}

/// Returns a report without an authenticated sender.
fn unauthenticated(number: u32, network: &str) -> MailReport {
    MailReport { sender: None, ..report(number, network, "a.example") }
}

async fn store_all(world: &World, reports: &[MailReport], limits: ReportLimits) -> Vec<ReportOutcome> {
    let mut tx = world.store.begin().await.unwrap();
    let outcomes = tx.mail_reports().store(reports, limits).await.unwrap();
    tx.commit().await.unwrap();
    outcomes
}

async fn store(world: &World, report: &MailReport, limits: ReportLimits) -> ReportOutcome {
    store_all(world, std::slice::from_ref(report), limits).await[0]
}

fn everything() -> MailReportFilter {
    MailReportFilter { domain: None, kind: None, includes_unauthenticated: true, since: at(0), limit: 1000 }
}

async fn numbers(world: &World, filter: &MailReportFilter) -> Vec<u128> {
    let found = world.store.mail_reports(filter).await.unwrap();
    found.into_iter().map(|report| report.mail_report_id.as_u128()).collect()
}

#[tokio::test]
async fn report_is_stored_once_and_selected_by_domain_kind_and_time() {
    let world = world().await;
    let one = report(1, "a", "a.example");
    let mut two = report(2, "a", "b.example");
    two.report.rows = ReportRows::Dmarc(Vec::new());
    two.organization_id = Some(Uuid::from_u128(7).into());
    for new in [&one, &two] {
        assert_eq!(store(&world, new, LIMITS).await, ReportOutcome::Stored);
    }
    let again = MailReport { mail_report_id: Uuid::from_u128(3), ..one.clone() };
    assert_eq!(store(&world, &again, LIMITS).await, ReportOutcome::Duplicate);
    // The message of the report has another domain as well.
    let other = MailReport { digest: one.digest, ..report(4, "a", "c.example") };
    let outcomes = store_all(&world, &[again.clone(), other], LIMITS).await;
    assert_eq!(outcomes, [ReportOutcome::Duplicate, ReportOutcome::Stored]);

    assert_eq!(numbers(&world, &everything()).await, [4, 2, 1]);
    assert_eq!(numbers(&world, &MailReportFilter { since: at(2), ..everything() }).await, [4, 2]);
    assert_eq!(numbers(&world, &MailReportFilter { limit: 1, ..everything() }).await, [4]);
    let dmarc = MailReportFilter { kind: Some(ReportKind::Dmarc), ..everything() };
    assert_eq!(world.store.mail_reports(&dmarc).await.unwrap(), std::slice::from_ref(&two));
    let of_base = MailReportFilter { domain: Some("agents.example".to_owned()), ..everything() };
    assert_eq!(numbers(&world, &of_base).await, [4, 2, 1]);
    let of_domain = MailReportFilter { domain: Some("a.example".to_owned()), ..everything() };
    assert_eq!(world.store.mail_reports(&of_domain).await.unwrap(), [one]);
    assert_eq!(world.store.mail_report(two.mail_report_id).await.unwrap(), Some(two));
    assert_eq!(world.store.mail_report(again.mail_report_id).await.unwrap(), None);

    let mut tx = world.store.begin().await.unwrap();
    assert_eq!(tx.mail_reports().purge(at(4), 10).await.unwrap(), 2);
    tx.commit().await.unwrap();
    assert_eq!(numbers(&world, &everything()).await, [4]);
}

#[tokio::test]
async fn sender_evicts_its_own_reports_and_all_share_the_maximum() {
    let world = world().await;
    let limits = ReportLimits { stored: 16, ..LIMITS };
    store(&world, &report(0, "victim", "a.example"), limits).await;
    for number in 1..=5 {
        store(&world, &report(number, "flood", "a.example"), limits).await;
    }
    assert_eq!(numbers(&world, &everything()).await, [5, 4, 0], "an eighth for each sender");
    for number in 6..=30 {
        store(&world, &report(number, &format!("sender {number}"), "a.example"), limits).await;
    }
    assert_eq!(numbers(&world, &everything()).await, (15..=30).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn reports_of_a_day_are_limited_for_each_sender_and_in_all() {
    let world = world().await;
    let limits = ReportLimits { per_day: 16, ..LIMITS };
    for number in 1..=2 {
        assert_eq!(store(&world, &report(number, "flood", "a.example"), limits).await, ReportOutcome::Stored);
    }
    assert_eq!(store(&world, &report(3, "flood", "a.example"), limits).await, ReportOutcome::Limited);
    // One that is stored already is not limited.
    assert_eq!(store(&world, &report(2, "flood", "a.example"), limits).await, ReportOutcome::Duplicate);
    for number in 4..=17 {
        let outcome = store(&world, &report(number, &format!("sender {number}"), "a.example"), limits).await;
        assert_eq!(outcome, ReportOutcome::Stored);
    }
    assert_eq!(store(&world, &report(18, "late", "a.example"), limits).await, ReportOutcome::Stored);
    assert!(!numbers(&world, &everything()).await.contains(&1), "it displaces the largest share");
    // Now each sender has one, so the first of them displaces none.
    assert_eq!(store(&world, &report(19, "late", "a.example"), limits).await, ReportOutcome::Limited);
    assert_eq!(store(&world, &report(DAY + 3, "flood", "a.example"), limits).await, ReportOutcome::Stored);
}

#[tokio::test]
async fn reports_without_sender_displace_none_with_one() {
    let world = world().await;
    let limits = ReportLimits { stored: 16, ..LIMITS };
    for number in 1..=10 {
        store(&world, &unauthenticated(number, &format!("network {number}")), limits).await;
    }
    assert_eq!(numbers(&world, &everything()).await, [10, 9, 8, 7], "a quarter for all of them");
    let authenticated = MailReportFilter { includes_unauthenticated: false, ..everything() };
    assert!(numbers(&world, &authenticated).await.is_empty());
    for number in 11..=26 {
        store(&world, &report(number, &format!("sender {number}"), "a.example"), limits).await;
    }
    assert_eq!(numbers(&world, &everything()).await, (11..=26).rev().collect::<Vec<_>>(), "they go first");
    // A share of the same name is another one.
    let outcome = store(&world, &unauthenticated(27, "sender 26"), limits).await;
    assert_eq!(outcome, ReportOutcome::Limited, "it is evicted at once");
    assert_eq!(numbers(&world, &everything()).await, (11..=26).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn reports_without_sender_have_a_quarter_of_the_day() {
    let world = world().await;
    let limits = ReportLimits { per_day: 16, ..LIMITS };
    for number in 1..=4 {
        let outcome = store(&world, &unauthenticated(number, &format!("network {number}")), limits).await;
        assert_eq!(outcome, ReportOutcome::Stored);
    }
    assert_eq!(store(&world, &unauthenticated(5, "network 4"), limits).await, ReportOutcome::Limited);
    assert_eq!(store(&world, &report(6, "sender 6", "a.example"), limits).await, ReportOutcome::Stored);
    assert_eq!(store(&world, &unauthenticated(7, "network 7"), limits).await, ReportOutcome::Stored);
    assert_eq!(numbers(&world, &everything()).await, [7, 6, 4, 3, 2], "it displaces one of its kind");
}

/// Stores the most that eight senders may: two reports each.
async fn flood(world: &World, limits: ReportLimits, first: u32) {
    for number in 0..16 {
        let share = format!("flood {}", number % 8);
        let outcome = store(world, &report(first + number, &share, "a.example"), limits).await;
        assert_ne!(outcome, ReportOutcome::Duplicate);
    }
}

#[tokio::test]
async fn new_sender_displaces_largest_share_of_full_day() {
    let world = world().await;
    let limits = ReportLimits { per_day: 16, ..LIMITS };
    flood(&world, limits, 1).await;
    let genuine = [20, 21].map(|number| report(number, "genuine", "a.example"));
    let outcomes = store_all(&world, &genuine[..1], limits).await;
    assert_eq!(outcomes, [ReportOutcome::Stored]);
    flood(&world, limits, 30).await;
    let stored = numbers(&world, &everything()).await;
    assert!(stored.contains(&20) && stored.len() == 16, "{stored:?}");
    assert_eq!(store_all(&world, &genuine, limits).await, [ReportOutcome::Duplicate, ReportOutcome::Stored]);
    assert_eq!(store(&world, &report(60, "genuine", "a.example"), limits).await, ReportOutcome::Limited, "its part");
    // Reports without an authenticated sender displace none with one.
    assert_eq!(store(&world, &unauthenticated(61, "network"), limits).await, ReportOutcome::Limited);
    let stored = numbers(&world, &everything()).await;
    assert!(stored.contains(&20) && stored.contains(&21) && stored.len() == 16, "{stored:?}");
}

#[tokio::test]
async fn largest_shares_are_evicted_first() {
    let world = world().await;
    let limits = ReportLimits { stored: 16, ..LIMITS };
    store(&world, &report(0, "genuine", "a.example"), limits).await;
    flood(&world, limits, 1).await;
    flood(&world, limits, 20).await;
    let stored = numbers(&world, &everything()).await;
    assert!(stored.contains(&0) && stored.len() == 16, "{stored:?}");
}
