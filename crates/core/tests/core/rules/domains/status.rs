use inboxd_core::model::domain::{Domain, DomainRecord, DomainStatus, RecordStatus};
use inboxd_core::rules::domains::records::with_switches;
use inboxd_core::rules::domains::status::{MISSING_RECORDS_TIMEOUT, after_check, reason, with_records};
use inboxd_core::rules::domains::verify::CheckedRecord;
use inboxd_core::testing::fixtures::{self, DOMAIN, NOW};
use time::Duration;

use DomainStatus as D;
use RecordStatus::{Invalid, Missing, Valid};

/// The domain with its four records in these states; bracketed ones received no response.
fn judged(states: [(RecordStatus, bool); 4]) -> Vec<CheckedRecord> {
    let records = fixtures::domain().records.into_iter().zip(states);
    records
        .map(|(record, (status, answered))| CheckedRecord { record: DomainRecord { status, ..record }, answered })
        .collect()
}

#[test]
fn domain_status_follows_from_records() {
    let (valid, missing, invalid) = ((Valid, true), (Missing, true), (Invalid, true));
    for (states, expected) in [
        ([valid, valid, valid, valid], D::Verified),
        ([valid, valid, (Valid, false), valid], D::Verified),
        ([(Valid, false), (Valid, false), (Valid, false), (Valid, false)], D::Verified),
        ([missing, missing, missing, missing], D::Pending),
        ([valid, valid, valid, missing], D::Pending),
        ([valid, valid, (Invalid, false), missing], D::Pending),
        ([valid, invalid, valid, missing], D::Invalid),
        ([(Missing, false), invalid, valid, valid], D::Invalid),
        ([(Missing, false), valid, valid, valid], D::Verifying),
        ([(Invalid, false), valid, valid, valid], D::Verifying),
        ([(Missing, false), (Missing, false), (Missing, false), (Missing, false)], D::Verifying),
    ] {
        let after = after_check(fixtures::domain(), judged(states), NOW);
        assert_eq!(after.status, expected, "{states:?}");
        assert_eq!(after.verified_at, (expected == D::Verified).then_some(NOW));
    }
}

#[test]
fn records_missing_for_days_fail_domain_until_published() {
    let missing = || judged([(Valid, true), (Valid, true), (Valid, true), (Missing, true)]);
    let late = NOW + MISSING_RECORDS_TIMEOUT + Duration::SECOND;
    assert_eq!(after_check(fixtures::domain(), missing(), NOW + MISSING_RECORDS_TIMEOUT).status, D::Pending);
    let failed = after_check(fixtures::domain(), missing(), late);
    assert_eq!(failed.status, D::Failed);
    assert_eq!(after_check(failed, judged([(Valid, true); 4]), late).status, D::Verified);
    let verified_before = Domain { verified_at: Some(NOW), ..fixtures::domain() };
    assert_eq!(after_check(verified_before, missing(), late).status, D::Pending);
}

#[test]
fn first_verification_time_is_retained() {
    let first = after_check(fixtures::domain(), judged([(Valid, true); 4]), NOW);
    let lost = after_check(first, judged([(Missing, true); 4]), NOW + Duration::HOUR);
    assert_eq!((lost.status, lost.verified_at), (D::Pending, Some(NOW)));
    let again = after_check(lost, judged([(Valid, true); 4]), NOW + Duration::DAY);
    assert_eq!((again.status, again.verified_at, again.updated_at), (D::Verified, Some(NOW), NOW + Duration::DAY));
}

#[test]
fn inbound_switch_removes_and_restores_mx_records() {
    let domain = fixtures::domain();
    let switch = |records: Vec<DomainRecord>, inbound, subdomains| {
        with_switches(records, &fixtures::domain().name, DOMAIN, inbound, subdomains)
    };
    let both = switch(domain.records.clone(), true, true);
    let none = switch(both, false, true);
    assert_eq!(none, domain.records[1..], "no MX record of the domain or its subdomains");
    assert_eq!(switch(none, true, false), domain.records);
}

#[test]
fn unverified_domain_has_reason() {
    let after = |states| reason(&after_check(fixtures::domain(), judged(states), NOW));
    assert_eq!(reason(&fixtures::domain()), Some("not_started"));
    assert_eq!(after([(Valid, true); 4]), None);
    assert_eq!(after([(Valid, true), (Valid, true), (Valid, true), (Missing, true)]), Some("dns_records_missing"));
    assert_eq!(after([(Invalid, true), (Valid, true), (Valid, true), (Missing, true)]), Some("dns_records_invalid"));
    assert_eq!(after([(Missing, false), (Valid, true), (Valid, true), (Valid, true)]), Some("no_answer"));
}

#[test]
fn subdomain_record_makes_domain_pending_until_found() {
    let switch = |domain: Domain, on: bool| {
        let records = with_switches(domain.records.clone(), &domain.name, DOMAIN, true, on);
        with_records(domain, records, NOW)
    };
    let verified = after_check(fixtures::domain(), judged([(Valid, true); 4]), NOW);
    let pending = switch(verified.clone(), true);
    assert_eq!((pending.status, pending.records.len()), (D::Pending, 5));
    let wildcard = pending.records.last().unwrap();
    assert_eq!((wildcard.name.as_str(), wildcard.value.as_str()), ("*.example.com", "inboxd.example"));
    assert_eq!((wildcard.status, wildcard.priority), (Missing, Some(10)));
    assert_eq!(switch(pending.clone(), true), pending, "enabled twice, the record exists once");
    assert_eq!(switch(pending, false).status, D::Verified);
    assert_eq!(switch(fixtures::domain(), true).status, D::NotStarted);
    let invalid =
        after_check(fixtures::domain(), judged([(Invalid, true), (Valid, true), (Valid, true), (Valid, true)]), NOW);
    assert_eq!(switch(invalid, true).status, D::Invalid);
}
