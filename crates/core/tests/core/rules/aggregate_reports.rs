use inboxd_core::model::AuthResult;
use inboxd_core::model::mail_report::{ReportKind, ReportOutcome};
use inboxd_core::ports::{DmarcPolicy, Evidence, SignatureEvidence};
use inboxd_core::rules::aggregate_reports::{identity, report_sender};
use inboxd_core::testing::StubAuthenticator;
use inboxd_mail::{AggregateReport, ReportRows};

/// Returns the evidence of a message from a domain with a signature.
fn signed(from: &str, domain: &str, result: AuthResult) -> Evidence {
    let mut evidence = StubAuthenticator::default().0;
    evidence.dmarc.from_domain = Some(from.to_owned());
    evidence.dkim = vec![SignatureEvidence { result, domain: domain.to_owned(), selector: "s".to_owned() }];
    evidence
}

#[test]
fn tls_report_needs_valid_signature_of_its_domain() {
    let with_spf = |mut evidence: Evidence| {
        (evidence.spf.result, evidence.spf.domain) = (AuthResult::Pass, "receiver.example".to_owned());
        evidence
    };
    let mut aligned = signed("receiver.example", "mta.receiver.example", AuthResult::Pass);
    assert_eq!(report_sender(ReportKind::Tls, Some(&aligned)), Err(ReportOutcome::Unauthenticated));
    aligned.dmarc.aligned_domain = Some("mta.receiver.example".to_owned());
    aligned.dmarc.result = AuthResult::Pass;
    let accepted = [
        (signed("Receiver.Example", "receiver.example", AuthResult::Pass), "receiver.example"),
        (signed("tls.receiver.example", "receiver.example", AuthResult::Pass), "receiver.example"),
        (aligned, "mta.receiver.example"),
    ];
    for (evidence, sender) in accepted {
        assert_eq!(report_sender(ReportKind::Tls, Some(&evidence)), Ok(Some(sender.to_owned())), "{evidence:?}");
    }
    for evidence in [
        signed("receiver.example", "receiver.example", AuthResult::Fail),
        signed("receiver.example", "receiver.example", AuthResult::Policy),
        signed("receiver.example", "evil.example", AuthResult::Pass),
        signed("receiver.example", "example", AuthResult::Pass),
        with_spf(StubAuthenticator::default().0),
    ] {
        let sender = report_sender(ReportKind::Tls, Some(&evidence));
        assert_eq!(sender, Err(ReportOutcome::Unauthenticated), "{evidence:?}");
    }
    assert_eq!(report_sender(ReportKind::Tls, None), Err(ReportOutcome::Unauthenticated));
}

#[test]
fn dmarc_report_may_lack_sender_but_not_fail_strict_policy() {
    let mut evidence = StubAuthenticator::default().0;
    assert_eq!(report_sender(ReportKind::Dmarc, None), Ok(None));
    assert_eq!(report_sender(ReportKind::Dmarc, Some(&evidence)), Ok(None));
    (evidence.spf.result, evidence.spf.domain) = (AuthResult::Pass, "a.example".to_owned());
    assert_eq!(report_sender(ReportKind::Dmarc, Some(&evidence)), Ok(Some("a.example".to_owned())));
    evidence.dmarc.result = AuthResult::Fail;
    evidence.dmarc.from_domain = Some("b.example".to_owned());
    assert_eq!(report_sender(ReportKind::Dmarc, Some(&evidence)), Ok(Some("a.example".to_owned())));
    for (policy, from_domain) in [
        (DmarcPolicy::Quarantine, Some("b.example")),
        (DmarcPolicy::Reject, Some("b.example")),
        (DmarcPolicy::None, None),
    ] {
        evidence.dmarc.policy = policy;
        evidence.dmarc.from_domain = from_domain.map(str::to_owned);
        for kind in [ReportKind::Dmarc, ReportKind::Tls] {
            assert_eq!(report_sender(kind, Some(&evidence)), Err(ReportOutcome::Unauthenticated), "{policy:?}");
        }
    }
}

#[test]
fn report_in_two_messages_is_the_same() {
    let report = AggregateReport {
        reporter: "Receiver".to_owned(),
        report_id: "1".to_owned(),
        domain: "a.example".to_owned(),
        begin: 1,
        end: 2,
        rows: ReportRows::Dmarc(Vec::new()),
        omitted: 0,
    };
    let of = |report: &AggregateReport, sender: &str, message: u8| identity(report, Some(sender), [message; 32]);
    let known = of(&report, "receiver.example", 1);
    assert_eq!(of(&report, "receiver.example", 2), known);
    assert_ne!(of(&report, "other.example", 1), known);
    for other in [
        AggregateReport { reporter: "Other".to_owned(), ..report.clone() },
        AggregateReport { report_id: "2".to_owned(), ..report.clone() },
        AggregateReport { domain: "b.example".to_owned(), ..report.clone() },
        AggregateReport { begin: 2, ..report.clone() },
        AggregateReport { rows: ReportRows::Tls(Vec::new()), ..report.clone() },
    ] {
        assert_ne!(of(&other, "receiver.example", 1), known, "{other:?}");
    }
    let without_id = AggregateReport { report_id: String::new(), ..report };
    assert_ne!(of(&without_id, "receiver.example", 1), of(&without_id, "receiver.example", 2));
}
