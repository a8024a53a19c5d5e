use inboxd_core::model::AuthResult;
use inboxd_core::model::AuthResult::{Fail, Neutral, None, Pass, PermError, Policy, SoftFail, TempError};
use inboxd_core::ports::{DmarcEvidence, DmarcPolicy, Evidence, SignatureEvidence, SpfEvidence};
use inboxd_core::rules::authentication::{has_failed, results_field, summarize};

fn signature(result: AuthResult) -> SignatureEvidence {
    SignatureEvidence { result, domain: "example.org".to_owned(), selector: "one".to_owned() }
}

fn evidence(spf: AuthResult, dkim: &[AuthResult], dmarc: AuthResult, policy: DmarcPolicy) -> Evidence {
    Evidence {
        spf: SpfEvidence { result: spf, domain: "mail.example.org".to_owned(), of_helo: false },
        dkim: dkim.iter().copied().map(signature).collect(),
        dmarc: DmarcEvidence {
            result: dmarc,
            policy,
            from_domain: Some("example.org".to_owned()),
            aligned_domain: Some("mail.example.org".to_owned()),
        },
        arc: Option::None,
    }
}

/// Every list of at most two signatures.
fn signatures() -> Vec<Vec<AuthResult>> {
    let mut lists = vec![Vec::new()];
    for one in AuthResult::ALL {
        lists.push(vec![*one]);
        lists.extend(AuthResult::ALL.iter().map(|two| vec![*one, *two]));
    }
    lists
}

#[test]
fn authentication_fails_in_exactly_three_cases() {
    let policies = [DmarcPolicy::None, DmarcPolicy::Quarantine, DmarcPolicy::Reject, DmarcPolicy::Unanswered];
    let mut seen = 0;
    for spf in AuthResult::ALL {
        for dmarc in AuthResult::ALL {
            for policy in policies {
                for dkim in signatures() {
                    let is_strict = matches!(policy, DmarcPolicy::Quarantine | DmarcPolicy::Reject);
                    let verifies = dkim.contains(&Pass);
                    let is_open = dkim.contains(&TempError);
                    let is_silent = *dmarc == TempError && policy == DmarcPolicy::Unanswered;
                    let ways = [
                        *dmarc == Fail && is_strict,
                        *dmarc != Pass && *spf == Fail && !is_silent,
                        !matches!(dmarc, Pass | TempError) && !dkim.is_empty() && !verifies && !is_open,
                    ];
                    let wanted = ways.contains(&true);
                    let found = has_failed(&evidence(*spf, &dkim, *dmarc, policy));
                    assert_eq!(found, wanted, "spf {spf:?}, dkim {dkim:?}, dmarc {dmarc:?} {policy:?}");
                    seen += 1;
                }
            }
        }
    }
    assert_eq!(seen, 8 * 8 * 4 * 73);
}

#[test]
fn missing_records_and_silent_servers_are_no_failure() {
    for (spf, dkim, dmarc) in [
        (None, vec![], None),
        (SoftFail, vec![], None),
        (Neutral, vec![], None),
        (TempError, vec![TempError], TempError),
        (TempError, vec![], None),
        (None, vec![Fail, TempError], None),
        (None, vec![Fail, Pass], None),
    ] {
        assert!(!has_failed(&evidence(spf, &dkim, dmarc, DmarcPolicy::Reject)), "{spf:?} {dkim:?} {dmarc:?}");
    }
    // A stranger can name a key on a silent server; the policy comes from the servers of the sender.
    let refused = |policy| has_failed(&evidence(Fail, &[TempError], TempError, policy));
    assert!(!refused(DmarcPolicy::Unanswered) && refused(DmarcPolicy::None) && refused(DmarcPolicy::Reject));
}

#[test]
fn mail_without_exactly_one_author_fails_under_any_policy() {
    let mut found = evidence(Pass, &[Pass], Fail, DmarcPolicy::None);
    assert!(!has_failed(&found));
    found.dmarc.from_domain = Option::None;
    assert!(has_failed(&found));
}

#[test]
fn arc_turns_no_failure_into_a_pass() {
    let mut found = evidence(Fail, &[], Fail, DmarcPolicy::Reject);
    found.arc = Some(Pass);
    assert!(has_failed(&found));
    let verdict = summarize(&found);
    assert_eq!((verdict.arc, verdict.dmarc, verdict.aligned_domain), (Some(Pass), Fail, Option::None));
}

#[test]
fn best_signature_counts() {
    for (dkim, wanted) in [
        (vec![], None),
        (vec![Fail, Pass, PermError], Pass),
        (vec![Fail, TempError], TempError),
        (vec![Neutral, PermError, Fail, Policy], Policy),
        (vec![Neutral, Fail], Fail),
        (vec![Neutral], Neutral),
    ] {
        assert_eq!(summarize(&evidence(None, &dkim, None, DmarcPolicy::None)).dkim, wanted, "{dkim:?}");
    }
    let passed = summarize(&evidence(Pass, &[], Pass, DmarcPolicy::None));
    assert_eq!(passed.aligned_domain.as_deref(), Some("mail.example.org"));
}

#[test]
fn results_field_contains_checked_names_only() {
    let mut found = evidence(Pass, &[Fail], Pass, DmarcPolicy::None);
    assert_eq!(
        results_field("mx.here.example", &found),
        "mx.here.example; spf=pass smtp.mailfrom=mail.example.org; dkim=fail header.d=example.org header.s=one; \
         dmarc=pass header.from=example.org"
    );
    found.spf = SpfEvidence { result: None, domain: "mx; dmarc=pass (\r\nX: y".to_owned(), of_helo: true };
    found.dkim = Vec::new();
    found.dmarc.from_domain = Option::None;
    found.arc = Some(Fail);
    assert_eq!(results_field("mx.here.example", &found), "mx.here.example; spf=none; dkim=none; dmarc=pass; arc=fail");
}

#[test]
fn invalid_name_is_omitted_not_altered() {
    let mut found = evidence(Pass, &[Pass], Pass, DmarcPolicy::None);
    for written in ["bank\u{e9}.example", "bank(.example", "ba nk.example", "bank.example;", "", &"a".repeat(256)] {
        written.clone_into(&mut found.spf.domain);
        written.clone_into(&mut found.dkim[0].domain);
        written.clone_into(&mut found.dkim[0].selector);
        found.dmarc.from_domain = Some(written.to_owned());
        let field = results_field("mx.here.example", &found);
        assert_eq!(field, "mx.here.example; spf=pass; dkim=pass; dmarc=pass", "{written}");
    }
}
