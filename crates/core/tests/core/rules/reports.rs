use inboxd_core::model::AuthResult;
use inboxd_core::model::outgoing::SentMessage;
use inboxd_core::model::return_path::{ReportedStatus, SentMail, SentTo};
use inboxd_core::ports::SignatureEvidence;
use inboxd_core::rules::bounces::{BounceKind, RefusalGroup};
use inboxd_core::rules::reports::{ReportEvent, authenticated_domains, record_report, unreported, unreported_delay};
use inboxd_core::testing::StubAuthenticator;
use inboxd_core::testing::fixtures::{self, address, id, message_id};
use inboxd_mail::{BounceReport, DeliveryAction, FeedbackReport, ReportedRecipient};

const ANNA: &str = "anna@example.org";
const BEN: &str = "Ben@example.org";

fn mail(recipients: &[&str]) -> SentMail {
    SentMail {
        outgoing_id: id(40),
        organization_id: id(1),
        message: SentMessage {
            pod_id: id(2),
            inbox_id: fixtures::inbox().inbox_id,
            thread_id: id(10),
            message_id: message_id("<sent@inboxd.example>"),
        },
        recipients: recipients
            .iter()
            .map(|to| SentTo { address: address(to), reported: ReportedStatus::default() })
            .collect(),
    }
}

fn reported(addresses: &[&str], action: DeliveryAction, status: &str) -> ReportedRecipient {
    let addresses = addresses.iter().map(|text| address(text)).collect();
    ReportedRecipient { addresses, action, status: status.to_owned() }
}

fn bounced(kind: BounceKind, sub_type: &'static str, recipients: &[(&str, &str)]) -> ReportEvent {
    let recipients = recipients.iter().map(|(to, status)| (address(to), (*status).to_owned())).collect();
    ReportEvent::Bounced(RefusalGroup { kind, sub_type, recipients })
}

fn feedback(kind: &str, recipients: &[&str]) -> BounceReport {
    let recipients = recipients.iter().map(|to| address(to)).collect();
    BounceReport::Feedback(FeedbackReport { kind: kind.to_owned(), recipients })
}

fn complained(kind: &str, recipients: &[&str]) -> Vec<ReportEvent> {
    let recipients = recipients.iter().map(|to| address(to)).collect();
    vec![ReportEvent::Complained { kind: kind.to_owned(), sub_type: "General", recipients }]
}

#[test]
fn recipient_is_reported_once_for_any_reports() {
    let mut mail = mail(&[ANNA, BEN]);
    let late = BounceReport::Delivery(vec![reported(&[ANNA], DeliveryAction::Delayed, "4.4.1")]);
    assert_eq!(record_report(&mut mail, &late), [bounced(BounceKind::Transient, "Delayed", &[(ANNA, "4.4.1")])]);
    assert_eq!(record_report(&mut mail, &late), []);
    let failed = BounceReport::Delivery(vec![
        reported(&[ANNA], DeliveryAction::Failed, "5.1.1"),
        reported(&["ben@EXAMPLE.org"], DeliveryAction::Failed, "5.2.2"),
        reported(&[ANNA], DeliveryAction::Failed, "5.1.1"),
    ]);
    let changes = record_report(&mut mail, &failed);
    assert_eq!(
        changes,
        [
            bounced(BounceKind::Permanent, "NoEmail", &[(ANNA, "5.1.1")]),
            bounced(BounceKind::Transient, "MailboxFull", &[(BEN, "5.2.2")]),
        ]
    );
    assert_eq!(changes.iter().map(ReportEvent::label).collect::<Vec<_>>(), [Some("bounced"), Some("bounced")]);
    let vouching = ["example.org".to_owned()];
    assert_eq!(
        changes.iter().flat_map(|change| change.addresses_to_suppress(&mail, &vouching)).collect::<Vec<_>>(),
        [address(ANNA)]
    );
    assert_eq!(record_report(&mut mail, &failed), []);
    // The recipient failed, so a delay is no change.
    assert_eq!(
        record_report(&mut mail, &BounceReport::Delivery(vec![reported(&[BEN], DeliveryAction::Delayed, "4.0.0")])),
        []
    );
}

#[test]
fn delay_neither_labels_nor_suppresses() {
    let mut mail = mail(&[ANNA]);
    let changes =
        record_report(&mut mail, &BounceReport::Delivery(vec![reported(&[ANNA], DeliveryAction::Delayed, "4.4.1")]));
    assert_eq!((changes[0].label(), changes[0].addresses_to_suppress(&mail, &[])), (None, Vec::new()));
}

#[test]
fn success_report_is_no_news() {
    for action in [DeliveryAction::Delivered, DeliveryAction::Relayed, DeliveryAction::Expanded] {
        let mut mail = mail(&[ANNA]);
        assert_eq!(record_report(&mut mail, &BounceReport::Delivery(vec![reported(&[ANNA], action, "2.0.0")])), []);
        assert_eq!(mail.recipients[0].reported, ReportedStatus::default());
    }
}

#[test]
fn only_recipients_can_be_reported() {
    let stranger = "stranger@example.net";
    for recipients in [&[ANNA][..], &[ANNA, BEN]] {
        let mut mail = mail(recipients);
        assert_eq!(
            record_report(
                &mut mail,
                &BounceReport::Delivery(vec![reported(&[stranger], DeliveryAction::Failed, "5.1.1")])
            ),
            []
        );
        assert_eq!(record_report(&mut mail, &feedback("abuse", &[stranger])), []);
        assert!(mail.recipients.iter().all(|to| to.reported == ReportedStatus::default()));
    }
}

#[test]
fn recipient_is_matched_by_original_address() {
    let moved = BounceReport::Delivery(vec![reported(&[ANNA, "new@example.net"], DeliveryAction::Failed, "5.1.1")]);
    let changes = record_report(&mut mail(&[BEN, ANNA]), &moved);
    assert_eq!(changes, [bounced(BounceKind::Permanent, "NoEmail", &[(ANNA, "5.1.1")])]);
    let final_only =
        BounceReport::Delivery(vec![reported(&["odd@example.net", ANNA], DeliveryAction::Failed, "5.1.1")]);
    assert_eq!(record_report(&mut mail(&[BEN, ANNA]), &final_only).len(), 1);
}

#[test]
fn report_without_address_applies_to_only_recipient() {
    let failed = BounceReport::Delivery(vec![reported(&[], DeliveryAction::Failed, "5.1.1")]);
    assert_eq!(
        record_report(&mut mail(&[ANNA]), &failed),
        [bounced(BounceKind::Permanent, "NoEmail", &[(ANNA, "5.1.1")])]
    );
    assert_eq!(record_report(&mut mail(&[ANNA]), &feedback("abuse", &[])), complained("abuse", &[ANNA]));
    assert_eq!(record_report(&mut mail(&[ANNA, BEN]), &failed), []);
}

#[test]
fn complaint_of_unknown_recipient_is_reported_once_without_suppression() {
    let mut sent = mail(&[ANNA, BEN]);
    let changes = record_report(&mut sent, &feedback("abuse", &[]));
    assert_eq!(changes, complained("abuse", &[]));
    assert_eq!(changes[0].label(), Some("complained"));
    assert_eq!(changes[0].addresses_to_suppress(&sent, &["example.org".to_owned()]), []);
    assert_eq!(record_report(&mut sent, &feedback("abuse", &[])), []);
    assert_eq!(record_report(&mut sent, &feedback("not-spam", &[])), []);
    // A recipient named later is changes.
    assert_eq!(record_report(&mut sent, &feedback("abuse", &[ANNA])), complained("abuse", &[ANNA]));
}

#[test]
fn complaints_are_reported_and_suppressed_but_not_spam_is_not() {
    let mut sent = mail(&[ANNA, BEN]);
    let changes = record_report(&mut sent, &feedback("abuse", &[ANNA, "stranger@example.net", ANNA]));
    assert_eq!(changes, complained("abuse", &[ANNA]));
    let dead = changes[0].addresses_to_suppress(&sent, &["example.org".to_owned()]);
    assert_eq!((changes[0].label(), dead), (Some("complained"), vec![address(ANNA)]));
    assert_eq!(record_report(&mut sent, &feedback("abuse", &[ANNA, BEN])), complained("abuse", &[BEN]));
    assert_eq!(record_report(&mut sent, &feedback("fraud", &[ANNA, BEN])), []);
    for kind in ["not-spam", "auth-failure"] {
        assert_eq!(record_report(&mut mail(&[ANNA]), &feedback(kind, &[ANNA])), [], "{kind}");
    }
    for kind in ["fraud", "virus", "opt-out-list", "other"] {
        assert_eq!(record_report(&mut mail(&[ANNA]), &feedback(kind, &[ANNA])), complained(kind, &[ANNA]), "{kind}");
    }
}

#[test]
fn recipient_cannot_suppress_other_recipients() {
    const BOSS: &str = "boss@mail.example.net";
    let failed = BounceReport::Delivery(vec![reported(&[BOSS], DeliveryAction::Failed, "5.1.1")]);
    for (recipients, vouching, dead) in [
        (&[BOSS][..], &[][..], true),
        (&[BOSS, ANNA], &[], false),
        (&[BOSS, ANNA], &["example.org"], false),
        (&[BOSS, ANNA], &["example.org", "mail.example.net"], true),
        (&[BOSS, ANNA], &["example.net"], true),
        (&[BOSS, ANNA], &["mx.mail.example.net"], true),
        (&[BOSS, ANNA], &["evilmail.example.net"], false),
        (&[BOSS, ANNA], &["xample.net"], false),
        (&[BOSS, ANNA], &["net"], false),
        (&[BOSS, ANNA], &[""], false),
    ] {
        let vouching: Vec<String> = vouching.iter().map(|name| (*name).to_owned()).collect();
        for report in [&failed, &feedback("abuse", &[BOSS])] {
            let mut mail = mail(recipients);
            let changes = record_report(&mut mail, report);
            assert!(changes[0].label().is_some(), "it is reported from any source");
            assert_eq!(
                changes[0].addresses_to_suppress(&mail, &vouching).len(),
                usize::from(dead),
                "{recipients:?} {vouching:?}"
            );
        }
    }
}

#[test]
fn only_passing_results_authenticate_domain() {
    let mut evidence = StubAuthenticator::default().0;
    evidence.spf.domain = "Mx.Example.org.".to_owned();
    evidence.dmarc.aligned_domain = Some("example.net".to_owned());
    evidence.dkim =
        vec![SignatureEvidence { result: AuthResult::Pass, domain: "a.example".to_owned(), selector: "s".to_owned() }];
    assert_eq!(authenticated_domains(&evidence), Vec::<String>::new());
    evidence.spf.result = AuthResult::Pass;
    assert_eq!(authenticated_domains(&evidence), ["mx.example.org"]);
    evidence.dmarc.result = AuthResult::Pass;
    assert_eq!(authenticated_domains(&evidence), ["example.net", "mx.example.org"]);
}

#[test]
fn refusal_and_its_report_are_one_news() {
    let mut sent = mail(&[ANNA, BEN]);
    record_report(&mut sent, &BounceReport::Delivery(vec![reported(&[ANNA], DeliveryAction::Failed, "5.1.1")]));
    let refused = vec![(address(ANNA), "5.1.1".to_owned()), (address(BEN), "5.2.2".to_owned())];
    assert_eq!(unreported(&mut sent, refused.clone()), [(address(BEN), "5.2.2".to_owned())]);
    assert_eq!(unreported(&mut sent, refused), []);
    assert_eq!(
        record_report(&mut sent, &BounceReport::Delivery(vec![reported(&[BEN], DeliveryAction::Failed, "5.2.2")])),
        []
    );
}

#[test]
fn delay_and_its_report_are_one_news() {
    let mut sent = mail(&[ANNA, BEN]);
    let late = |to| BounceReport::Delivery(vec![reported(&[to], DeliveryAction::Delayed, "4.4.1")]);
    record_report(&mut sent, &late(ANNA));
    let deferred = vec![address(ANNA), address(BEN), address("new@example.net")];
    assert_eq!(unreported_delay(&mut sent, deferred), [address(BEN), address("new@example.net")]);
    assert_eq!(record_report(&mut sent, &late(BEN)), []);
    let mut failed = mail(&[ANNA]);
    failed.recipients[0].reported.failed = true;
    assert_eq!(unreported_delay(&mut failed, vec![address(ANNA)]), []);
}

#[test]
fn reported_statuses_are_stored_as_bits() {
    for bits in 0..16 {
        assert_eq!(ReportedStatus::of_bits(bits).bits(), bits);
    }
    assert_eq!(ReportedStatus { delayed: true, complained: true, ..ReportedStatus::default() }.bits(), 5);
}
