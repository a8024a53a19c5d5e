//! Results for each DNS record: a status and, if wrong, the reason and the found value.

use inboxd_core::model::domain::{DomainRecord, RecordPurpose, RecordStatus};
use inboxd_core::ports::{Lookup, MxHost};
use inboxd_core::rules::domains::verify::{CheckedRecord, RecordAnswer, evaluate, verified_elsewhere};
use inboxd_core::testing::fixtures;

fn record(purpose: RecordPurpose) -> DomainRecord {
    fixtures::domain().records.into_iter().find(|record| record.purpose == purpose).unwrap()
}

fn texts(texts: &[&str]) -> RecordAnswer {
    RecordAnswer::Txt(Lookup::Found(texts.iter().map(|&text| text.to_owned()).collect()))
}

fn hosts(hosts: &[(u16, &str)]) -> RecordAnswer {
    let host = |&(preference, host): &(u16, &str)| MxHost { preference, host: host.to_owned() };
    RecordAnswer::Mx(Lookup::Found(hosts.iter().map(host).collect()))
}

/// Returns the status and the word of the reason.
fn said(purpose: RecordPurpose, answer: &RecordAnswer) -> String {
    let CheckedRecord { record, answered } = evaluate(record(purpose), answer);
    assert!(answered);
    assert_eq!(record.status == RecordStatus::Invalid, record.reason.is_some(), "a wrong record has its reason");
    assert_eq!(record.status == RecordStatus::Invalid, record.found.is_some(), "and the found value");
    let word = record.reason.as_deref().and_then(|reason| reason.split(':').next()).unwrap_or_default();
    format!("{} {word}", record.status.as_str()).trim_end().to_owned()
}

#[test]
fn mx_record_statuses() {
    let ours = "inboxd.example";
    for (answer, expected) in [
        (vec![(10, ours)], "VALID"),
        (vec![(0, "INBOXD.Example.")], "VALID"),
        (vec![(65_535, ours)], "VALID"),
        (vec![(10, ours), (20, ours)], "VALID"),
        (vec![(10, ours), (20, "backup.example.net")], "VALID"),
        (vec![(10, ours), (10, "mx.example.net")], "INVALID duplicate_records"),
        (vec![(20, ours), (10, "mx.example.net")], "INVALID duplicate_records"),
        (vec![(10, "mx.example.net")], "INVALID value_mismatch"),
        (vec![(10, "mx.inboxd.example")], "INVALID value_mismatch"),
        (vec![(0, "")], "INVALID value_mismatch"),
    ] {
        assert_eq!(said(RecordPurpose::Mx, &hosts(&answer)), expected, "{answer:?}");
    }
    assert_eq!(said(RecordPurpose::Mx, &RecordAnswer::Mx(Lookup::Absent)), "MISSING");
}

#[test]
fn spf_record_statuses() {
    for (answer, expected) in [
        (vec!["v=spf1 include:inboxd.example ~all"], "VALID"),
        (vec!["V=SPF1 a mx +include:INBOXD.example -all"], "VALID"),
        (vec!["v=spf1 redirect=inboxd.example"], "VALID"),
        (vec!["google-site-verification=x", "v=spf1 include:inboxd.example -all"], "VALID"),
        (vec!["v=spf1 include:mail.example.net include:inboxd.example ?all"], "VALID"),
        (vec!["google-site-verification=x"], "MISSING"),
        (vec!["v=spf10 include:inboxd.example"], "MISSING"),
        (vec!["v=spf1"], "INVALID value_mismatch"),
        (vec!["v=spf1 -all"], "INVALID value_mismatch"),
        (vec!["v=spf1 -all include:inboxd.example"], "INVALID value_mismatch"),
        (vec!["v=spf1 -include:inboxd.example ~all"], "INVALID value_mismatch"),
        (vec!["v=spf1 include:inboxd.example.net ~all"], "INVALID value_mismatch"),
        (vec!["v=spf1 ~all redirect=inboxd.example"], "INVALID value_mismatch"),
        (vec!["v=spf1 include:inboxd.example ~all", "v=spf1 a -all"], "INVALID duplicate_records"),
    ] {
        assert_eq!(said(RecordPurpose::Spf, &texts(&answer)), expected, "{answer:?}");
    }
    assert_eq!(said(RecordPurpose::Spf, &RecordAnswer::Txt(Lookup::Absent)), "MISSING");
}

#[test]
fn dkim_record_statuses() {
    for (answer, expected) in [
        (vec!["v=DKIM1; k=rsa; p=cHVibGlj"], "VALID"),
        (vec!["p=cHVibGlj"], "VALID"),
        (vec!["v=DKIM1;k=rsa;p= cHVi bGlj ;"], "VALID"),
        (vec!["v=DKIM1; h=sha1:sha256; s=email; t=y; n=note; p=cHVibGlj"], "VALID"),
        (vec!["v=DKIM1; k=rsa; p=cHVibGl"], "INVALID value_mismatch"),
        (vec!["v=DKIM1; k=rsa; p=b3RoZXI="], "INVALID value_mismatch"),
        (vec!["v=DKIM1; k=rsa; p="], "INVALID value_mismatch"),
        (vec!["v=DKIM1; k=rsa"], "INVALID value_mismatch"),
        (vec!["v=DKIM2; p=cHVibGlj"], "INVALID value_mismatch"),
        (vec!["p=cHVibGlj; v=DKIM1"], "INVALID value_mismatch"),
        (vec!["v=DKIM1; k=ed25519; p=cHVibGlj"], "INVALID value_mismatch"),
        (vec!["v=DKIM1; h=sha1; p=cHVibGlj"], "INVALID value_mismatch"),
        (vec!["v=DKIM1; s=other; p=cHVibGlj"], "INVALID value_mismatch"),
        (vec!["v=DKIM1; p=b3RoZXI=; p=cHVibGlj"], "INVALID value_mismatch"),
        (vec!["cHVibGlj"], "INVALID value_mismatch"),
        (vec!["v=DKIM1; k=rsa; p=cHVibGlj", "v=DKIM1; k=rsa; p=b3RoZXI="], "INVALID duplicate_records"),
    ] {
        assert_eq!(said(RecordPurpose::Dkim, &texts(&answer)), expected, "{answer:?}");
    }
    assert_eq!(said(RecordPurpose::Dkim, &RecordAnswer::Txt(Lookup::Absent)), "MISSING");
}

#[test]
fn dmarc_record_with_any_valid_policy_is_valid() {
    for (answer, expected) in [
        (vec!["v=DMARC1; p=none"], "VALID"),
        (vec!["v=DMARC1;p=REJECT;rua=mailto:a@example.org"], "VALID"),
        (vec!["v = DMARC1 ; p = quarantine"], "VALID"),
        (vec!["other", "v=DMARC1; p=reject"], "VALID"),
        (vec!["v=DMARC1"], "INVALID value_mismatch"),
        (vec!["v=DMARC1; p=maybe"], "INVALID value_mismatch"),
        (vec!["v=dmarc1; p=none"], "INVALID value_mismatch"),
        (vec!["p=none; v=DMARC1"], "INVALID value_mismatch"),
        (vec!["v=DMARC1; p=none", "v=DMARC1; p=reject"], "INVALID duplicate_records"),
    ] {
        assert_eq!(said(RecordPurpose::Dmarc, &texts(&answer)), expected, "{answer:?}");
    }
    assert_eq!(said(RecordPurpose::Dmarc, &RecordAnswer::Txt(Lookup::Absent)), "MISSING");
}

#[test]
fn silent_dns_leaves_status_unchanged() {
    let silence = RecordAnswer::Txt(Lookup::Failed("no answer in time".to_owned()));
    for status in [RecordStatus::Missing, RecordStatus::Invalid, RecordStatus::Valid] {
        let before = DomainRecord { status, found: None, ..record(RecordPurpose::Spf) };
        let CheckedRecord { record, answered } = evaluate(before, &silence);
        assert!(!answered);
        assert_eq!(record.status, status, "the known status stays");
        let reason = record.reason.unwrap_or_default();
        assert_eq!(reason.starts_with("no_answer: "), status != RecordStatus::Valid, "{reason}");
    }
}

#[test]
fn found_value_is_truncated_without_control_characters() {
    let found = evaluate(record(RecordPurpose::Dmarc), &texts(&["a\u{1b}[31m\rb", "c"])).record.found;
    assert_eq!(found.as_deref(), Some("a[31mb\nc"));
    let long = "x".repeat(100_000);
    let found = evaluate(record(RecordPurpose::Dmarc), &texts(&[&long])).record.found.unwrap();
    assert_eq!(found.len(), 1000);
    let found = evaluate(record(RecordPurpose::Mx), &hosts(&[(5, "a.example"), (7, "b.example")])).record.found;
    assert_eq!(found.as_deref(), Some("5 a.example\n7 b.example"));
}

#[test]
fn corrected_record_has_no_reason() {
    let wrong = evaluate(record(RecordPurpose::Dmarc), &texts(&["v=DMARC1"])).record;
    let mended = evaluate(wrong, &texts(&["v=DMARC1; p=none"])).record;
    assert_eq!((mended.status, mended.reason, mended.found), (RecordStatus::Valid, None, None));
}

#[test]
fn domain_verified_by_other_organization_is_reported() {
    let record = verified_elsewhere(record(RecordPurpose::Dkim));
    assert_eq!(record.status, RecordStatus::Invalid);
    assert!(record.reason.unwrap().starts_with("verified_elsewhere: "));
}
