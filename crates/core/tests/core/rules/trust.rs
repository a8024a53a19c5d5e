//! Verdicts of received messages.

use std::sync::Arc;

use inboxd_core::model::{AuthResult, Authentication, PodId};
use inboxd_core::rules::trust::{
    ContactDecision, Evidence, History, KnownIdentities, KnownPerson, Reason, Relation, ScannerFinding, SenderAddress,
    ServiceIdentity, TextPlace, Verdict, judge,
};
use inboxd_mail::{
    AttachmentRisk, HiddenTextKind, InstructionKind, MachineInstruction, MassMailKind, MessageField, MisleadingLink,
    RiskyAttachment, SafetyFindings,
};
use proptest::prelude::*;

fn results(dmarc: AuthResult) -> Authentication {
    Authentication { spf: dmarc, dkim: dmarc, dmarc, aligned_domain: None, arc: None }
}

fn person(name: &str, address: &str, relation: Relation) -> KnownPerson {
    KnownPerson { name: Some(name.to_owned()), address: address.to_owned(), relation, pod_id: None }
}

/// Returns an authenticated first message of a stranger.
fn stranger() -> Evidence {
    from("Kim Larsen", "kim@larsen.example")
}

fn from(name: &str, address: &str) -> Evidence {
    let people = vec![
        person("Anna Weber", "anna@weber-bau.example", Relation::Correspondent),
        person("Tom Berg", "tom@own.example", Relation::Member),
    ];
    let service = ServiceIdentity {
        name: "inboxd".to_owned(),
        domains: vec!["inboxd.example".to_owned()],
        ..ServiceIdentity::default()
    };
    Evidence {
        from: Some(SenderAddress { name: Some(name.to_owned()), address: address.to_owned() }),
        authentication: Some(results(AuthResult::Pass)),
        known: Arc::new(KnownIdentities::new(service, people)),
        ..Evidence::default()
    }
}

fn anna() -> Evidence {
    let history = History { received: 4, sent: 3, since: None, was_authenticated: true };
    Evidence { inbox: history, organization: history, ..from("Anna Weber", "anna@weber-bau.example") }
}

fn finding(change: impl Fn(&mut SafetyFindings)) -> SafetyFindings {
    let mut findings = SafetyFindings::default();
    change(&mut findings);
    findings
}

fn scanned(score: Option<u8>) -> ScannerFinding {
    ScannerFinding { category: "phishing".to_owned(), score, place: None }
}

fn link() -> SafetyFindings {
    finding(|findings| {
        let (shown_host, target_host) = ("bank.example".to_owned(), "evil.example".to_owned());
        findings.links.push(MisleadingLink { shown_host, target_host });
    })
}

fn attachment(risk: AttachmentRisk) -> SafetyFindings {
    finding(|findings| findings.attachments.push(RiskyAttachment { filename: Some("a.zip".to_owned()), risk }))
}

fn instruction() -> SafetyFindings {
    let (kind, field) = (InstructionKind::Override, MessageField::Text);
    finding(|findings| {
        findings.instructions.push(MachineInstruction { kind, field, start: 3, end: 9, is_hidden: false });
    })
}

/// Returns the verdict and the API names of the reasons.
fn outcome(evidence: &Evidence) -> (Verdict, String) {
    let judgement = judge(evidence);
    let name = |reason: &Reason| serde_json::to_value(reason).unwrap()["name"].as_str().unwrap().to_owned();
    (judgement.verdict, judgement.reasons.iter().map(name).collect::<Vec<_>>().join(" "))
}

#[test]
fn sender_decides_verdict_of_harmless_mail() {
    use Verdict::{FirstContact, Known, Suspicious, Trusted};
    let unauthenticated = |evidence: Evidence| Evidence { authentication: Some(results(AuthResult::None)), ..evidence };
    let failing = |evidence: Evidence| Evidence { authentication: Some(results(AuthResult::Fail)), ..evidence };
    let decided = |evidence: Evidence, decision| Evidence { decision: Some(decision), ..evidence };
    let trusted = |evidence| decided(evidence, ContactDecision::Trusted);
    let never_authenticated = |mut evidence: Evidence| {
        evidence.inbox.was_authenticated = false;
        evidence.organization.was_authenticated = false;
        evidence
    };
    let heard = |received| Evidence { inbox: History { received, ..History::default() }, ..stranger() };
    for (evidence, verdict, reasons) in [
        (stranger(), FirstContact, "authenticated_domain"),
        (unauthenticated(stranger()), FirstContact, ""),
        (failing(stranger()), FirstContact, "unauthenticated_domain"),
        (heard(2), FirstContact, "authenticated_domain known_correspondent"),
        (heard(3), Known, "authenticated_domain known_correspondent"),
        (anna(), Known, "authenticated_domain known_correspondent"),
        (unauthenticated(anna()), FirstContact, "lost_authentication known_correspondent"),
        (failing(anna()), Suspicious, "lost_authentication known_correspondent"),
        (unauthenticated(never_authenticated(anna())), Known, "known_correspondent"),
        (failing(never_authenticated(anna())), FirstContact, "unauthenticated_domain known_correspondent"),
        (trusted(stranger()), Trusted, "authenticated_domain trusted_contact"),
        (trusted(unauthenticated(stranger())), Known, "trusted_contact"),
        (trusted(failing(stranger())), FirstContact, "unauthenticated_domain trusted_contact"),
        (decided(stranger(), ContactDecision::Blocked), Suspicious, "authenticated_domain blocked_contact"),
        (from("Tom Berg", "TOM@own.example"), Trusted, "authenticated_domain organization_member"),
        (failing(from("Tom Berg", "tom@own.example")), Suspicious, "unauthenticated_domain organization_member"),
        (failing(from("inboxd", "support@inboxd.example")), Suspicious, "unauthenticated_domain"),
        (
            Evidence { is_local: true, authentication: None, ..anna() },
            Known,
            "authenticated_domain known_correspondent",
        ),
        (Evidence::default(), FirstContact, ""),
    ] {
        assert_eq!(outcome(&evidence), (verdict, reasons.to_owned()), "{evidence:?}");
    }
}

#[test]
fn signs_of_attack_decide_alone_or_together() {
    use Verdict::{FirstContact, Known, Suspicious};
    let with = |findings: SafetyFindings, evidence: Evidence| Evidence { findings, ..evidence };
    let reply_to = |address: &str, evidence: Evidence| Evidence { reply_to: vec![address.to_owned()], ..evidence };
    let reply_to_all = |addresses: &[&str], evidence: Evidence| {
        let reply_to = addresses.iter().map(|address| (*address).to_owned()).collect();
        Evidence { reply_to, ..evidence }
    };
    // A sender that got an answer under a name, or without one.
    let answered = |name: &str, known: Option<&str>| {
        let history = History { received: 1, sent: 1, since: None, was_authenticated: true };
        let known_name = known.map(str::to_owned);
        Evidence { known_name, inbox: history, organization: history, ..from(name, "office@evil.example") }
    };
    let styled = || finding(|findings| findings.hidden_text = Some(HiddenTextKind::Styled));
    let spelled = || finding(|findings| findings.hidden_text = Some(HiddenTextKind::Characters));
    let bulk = |mut findings: SafetyFindings| {
        findings.mass = Some(MassMailKind::Bulk);
        findings
    };
    let failing = |evidence: Evidence| Evidence { authentication: Some(results(AuthResult::Fail)), ..evidence };
    for (evidence, verdict, last) in [
        (with(instruction(), stranger()), Suspicious, "machine_instruction"),
        (with(instruction(), anna()), Suspicious, "machine_instruction"),
        (with(link(), stranger()), Suspicious, "misleading_link"),
        (with(link(), anna()), Known, "misleading_link"),
        (with(bulk(link()), stranger()), FirstContact, "mass_mail"),
        (with(link(), from("Bank", "news@mail.bank.example")), FirstContact, "authenticated_domain"),
        (with(styled(), stranger()), FirstContact, "hidden_text"),
        (with(spelled(), stranger()), Suspicious, "hidden_text"),
        (with(styled(), reply_to("x@evil.example", stranger())), Suspicious, "hidden_text"),
        (with(attachment(AttachmentRisk::Executable), stranger()), Suspicious, "risky_attachment"),
        (with(attachment(AttachmentRisk::Executable), anna()), Known, "risky_attachment"),
        (with(attachment(AttachmentRisk::PasswordProtected), stranger()), FirstContact, "risky_attachment"),
        (reply_to("x@evil.example", stranger()), FirstContact, "reply_to_elsewhere"),
        (reply_to("x@evil.example", anna()), Known, "reply_to_elsewhere"),
        (reply_to("desk@mail.larsen.example", stranger()), FirstContact, "authenticated_domain"),
        (reply_to("anna@weber-bua.example", stranger()), Suspicious, "lookalike_domain"),
        (from("Bau Weber", "info@weber-bua.example"), Suspicious, "lookalike_domain"),
        (from("Anna Weber", "anna.weber@weber-bau.test"), Suspicious, "lookalike_domain"),
        (from("A. Weber", "a.weber@weber-bau-mail.example"), FirstContact, "lookalike_domain"),
        (failing(from("A. Weber", "a.weber@weber-bau.test")), Suspicious, "lookalike_domain"),
        (from("B. Weber", "b.weber@weber-bau.test"), FirstContact, "authenticated_domain"),
        (from("Office", "office@weber-bau.test"), FirstContact, "authenticated_domain"),
        (from("Anna Weber", "ceo88@mail.example"), Suspicious, "imitated_name"),
        (from("Anna Weber", "anna.weber@mail.example"), FirstContact, "imitated_name"),
        (reply_to("x@evil.example", from("Anna Weber", "anna.weber@mail.example")), Suspicious, "reply_to_elsewhere"),
        (from("inboxd Support", "help@mail.example"), Suspicious, "imitated_name"),
        (answered("Tom Berg", None), Suspicious, "imitated_name"),
        (answered("Tom Berg", Some("Office")), Suspicious, "imitated_name"),
        (answered("Anna Weber", Some("Office")), Suspicious, "imitated_name"),
        (answered("Anna Weber", None), Known, "imitated_name"),
        (answered("Tom Berg", Some("tom BERG")), Known, "known_correspondent"),
        (reply_to_all(&["a@mail.example", "anna@weber-bua.example"], stranger()), Suspicious, "lookalike_domain"),
        (reply_to_all(&["anna@weber-bau.example", "x@evil.example"], stranger()), FirstContact, "reply_to_elsewhere"),
        (Evidence { scanner: vec![scanned(None)], ..anna() }, Suspicious, "scanner_finding"),
        (Evidence { scanner: vec![scanned(Some(50))], ..anna() }, Suspicious, "scanner_finding"),
        (Evidence { scanner: vec![scanned(Some(49))], ..anna() }, Known, "scanner_finding"),
        (Evidence { scanner: vec![scanned(Some(49)), scanned(Some(10))], ..anna() }, Known, "scanner_finding"),
    ] {
        let (found, reasons) = outcome(&evidence);
        assert_eq!((found, reasons.split(' ').next_back()), (verdict, Some(last)), "{evidence:?}");
    }
}

#[test]
fn second_ending_of_a_known_domain_is_a_doubt_unless_it_is_not_authenticated() {
    use Verdict::{FirstContact, Known, Suspicious};
    let people = vec![person("Anna Weber", "anna@weber-bau.com", Relation::Correspondent)];
    let known = Arc::new(KnownIdentities::new(ServiceIdentity::default(), people));
    let reply_to_ending = |evidence: Evidence| Evidence { reply_to: vec!["desk@weber-bau.co".to_owned()], ..evidence };
    let checked = |dmarc, evidence: Evidence| Evidence { authentication: Some(results(dmarc)), ..evidence };
    let office = || from("Office", "office@weber-bau.co");
    let hidden = |mass| {
        let hidden_text = Some(HiddenTextKind::Styled);
        Evidence { findings: SafetyFindings { hidden_text, mass, ..SafetyFindings::default() }, ..office() }
    };
    let anna = || Evidence { inbox: anna().inbox, ..from("Anna Weber", "anna@weber-bau.com") };
    for (evidence, verdict) in [
        (office(), FirstContact),
        (checked(AuthResult::None, office()), Suspicious),
        (checked(AuthResult::Fail, office()), Suspicious),
        (hidden(None), Suspicious),
        (hidden(Some(MassMailKind::Bulk)), FirstContact),
        (from("Anna Weber", "anna.weber@weber-bau.co"), Suspicious),
        (reply_to_ending(stranger()), Suspicious),
        (reply_to_ending(anna()), Known),
        (reply_to_ending(checked(AuthResult::None, anna())), Suspicious),
    ] {
        let evidence = Evidence { known: Arc::clone(&known), ..evidence };
        let (found, reasons) = outcome(&evidence);
        assert!(reasons.contains("lookalike_domain"), "{reasons} {evidence:?}");
        assert_eq!(found, verdict, "{evidence:?}");
    }
}

#[test]
fn reasons_name_no_correspondent_of_another_pod_and_no_member() {
    let pods = [1, 2].map(|number| PodId(uuid::Uuid::from_u128(number)));
    let [own, other] = pods.map(Some);
    let anna =
        |pod_id| KnownPerson { pod_id, ..person("Anna Weber", "anna@weber-bau.example", Relation::Correspondent) };
    let tom = person("Tom Berg", "tom@own.example", Relation::Member);
    for (people, address, domain) in [
        (vec![anna(own)], Some("anna@weber-bau.example"), Some("weber-bau.example")),
        (vec![anna(other), anna(own)], Some("anna@weber-bau.example"), Some("weber-bau.example")),
        (vec![anna(other)], None, None),
    ] {
        let known = Arc::new(KnownIdentities::new(ServiceIdentity::default(), people));
        let named = |from: Evidence| judge(&Evidence { known: Arc::clone(&known), pod_id: own, ..from });
        let imitation = named(from("Anna Weber", "ceo88@mail.example"));
        let copy = named(from("Office", "office@weber-bua.example"));
        assert_eq!([imitation.verdict, copy.verdict], [Verdict::Suspicious; 2]);
        assert!(imitation.reasons.iter().any(|reason| {
            matches!(reason, Reason::ImitatedName { address: named, .. } if named.as_deref() == address)
        }));
        assert!(copy.reasons.iter().any(|reason| {
            matches!(reason, Reason::LookalikeDomain { known_domain, .. } if known_domain.as_deref() == domain)
        }));
    }
    for (owner, domain) in [(pods[0], Some("weber-bau.example")), (pods[1], None)] {
        let pod_domains = vec![("weber-bau.example".to_owned(), owner)];
        let service = ServiceIdentity { pod_domains, ..ServiceIdentity::default() };
        let known = Arc::new(KnownIdentities::new(service, Vec::new()));
        let judgement = judge(&Evidence { known, pod_id: own, ..from("Office", "office@weber-bua.example") });
        assert!(judgement.reasons.iter().any(|reason| {
            matches!(reason, Reason::LookalikeDomain { known_domain, .. } if known_domain.as_deref() == domain)
        }));
    }
    let known = Arc::new(KnownIdentities::new(ServiceIdentity::default(), vec![tom]));
    let judgement = judge(&Evidence { known, pod_id: own, ..from("Tom Berg", "ceo88@mail.example") });
    assert!(judgement.reasons.iter().any(|reason| matches!(reason, Reason::ImitatedName { address: None, .. })));
}

#[test]
fn several_findings_of_one_kind_are_one_doubt() {
    let mut findings = link();
    findings.links.extend(link().links);
    assert_eq!(judge(&Evidence { findings, ..anna() }).verdict, Verdict::Known);
}

#[test]
fn judgement_is_stored_as_documented() {
    let judgement = judge(&Evidence { findings: instruction(), ..anna() });
    let stored = serde_json::to_value(&judgement).unwrap();
    assert_eq!(
        stored,
        serde_json::json!({
            "verdict": "suspicious",
            "checks": {"spf": "pass", "dkim": "pass", "dmarc": "pass"},
            "reasons": [
                {"name": "authenticated_domain", "domain": "weber-bau.example"},
                {"name": "known_correspondent", "received": 4, "sent": 3, "organization_received": 4, "organization_sent": 3},
                {"name": "machine_instruction", "kind": "override", "field": "text", "start": 3, "end": 9, "is_hidden": false},
            ],
        })
    );
    assert_eq!(serde_json::from_value::<inboxd_core::rules::trust::Judgement>(stored).unwrap(), judgement);
}

#[test]
fn place_of_a_finding_is_shown() {
    let place = Some(TextPlace { field: inboxd_core::rules::trust::MessageField::Html, start: 2, end: 7 });
    let judgement = judge(&Evidence { scanner: vec![ScannerFinding { place, ..scanned(Some(97)) }], ..anna() });
    let stored = serde_json::to_value(judgement.reasons.last().unwrap()).unwrap();
    let expected = serde_json::json!({"name": "scanner_finding", "category": "phishing", "score": 97, "field": "html",
        "start": 2, "end": 7});
    assert_eq!(stored, expected);
    // A reason of an earlier version has a category alone.
    let earlier = serde_json::json!({"name": "scanner_finding", "category": "phishing"});
    let read: Reason = serde_json::from_value(earlier.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), earlier);
}

fn any_address() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zа-я0-9.]{0,8}@[a-zа-я0-9.-]{0,12}", any::<String>(), Just("anna@weber-bau.example".to_owned())]
}

proptest! {
    #[test]
    fn any_sender_has_a_verdict(name in proptest::option::of(any::<String>()), address in any_address(), to in any_address(), sent in 0_u64..3) {
        let evidence = Evidence {
            from: Some(SenderAddress { name, address }),
            reply_to: vec![to],
            inbox: History { sent, ..History::default() },
            ..anna()
        };
        let judgement = judge(&evidence);
        prop_assert!(judgement.reasons.len() <= 8);
        // A sign of an attack never makes a message more trusted.
        let worse = judge(&Evidence { findings: instruction(), ..evidence });
        prop_assert_eq!(worse.verdict, Verdict::Suspicious);
        prop_assert_eq!(worse.reasons.len(), judgement.reasons.len() + 1);
    }

    #[test]
    fn no_domain_resembles_itself(label in "[a-z0-9-]{1,12}", sub in "[a-z]{1,5}") {
        let domain = format!("{label}.example");
        prop_assert_eq!(inboxd_core::rules::trust::resembles(&domain, &domain), None);
        prop_assert_eq!(inboxd_core::rules::trust::resembles(&format!("{sub}.{domain}"), &domain), None);
    }
}
