//! SPF: the published test suite of RFC 7208, and limits.
//!
//! `rfc7208.json` holds the cases of `rfc7208-tests.yml`, release 2014.04, without comments and explanations: the
//! evaluation of `exp` is optional (RFC 7208, section 6.2) and is not offered.

use std::collections::HashMap;
use std::net::IpAddr;

use inboxd_mail::{SpfAnswer, SpfAnswers, SpfCheck, SpfQuery, SpfRecordType, SpfResult, is_valid_spf_record};
use serde_json::Value;

/// Records of the names of a scenario, as `[type, value]`. A record `["TIMEOUT"]` fails all queries of types that no
/// earlier record has.
struct Zone(HashMap<String, Vec<Value>>);

impl Zone {
    fn answer(&self, query: &SpfQuery) -> SpfAnswer {
        let kind = match query.record_type {
            SpfRecordType::Txt => "TXT",
            SpfRecordType::A => "A",
            SpfRecordType::Aaaa => "AAAA",
            SpfRecordType::Mx => "MX",
            SpfRecordType::Ptr => "PTR",
        };
        let Some(values) = self.values(&query.name, kind, 0) else { return SpfAnswer::Failed };
        match query.record_type {
            SpfRecordType::Txt => SpfAnswer::Texts(values),
            SpfRecordType::Mx | SpfRecordType::Ptr => {
                SpfAnswer::Hosts(values.into_iter().filter(|host| !host.is_empty()).collect())
            }
            SpfRecordType::A | SpfRecordType::Aaaa => {
                SpfAnswer::Addresses(values.iter().map(|address| address.parse().unwrap()).collect())
            }
        }
    }

    /// Returns the values of one type, or `None` for a query that fails.
    fn values(&self, name: &str, kind: &str, aliases: u8) -> Option<Vec<String>> {
        let mut values = Vec::new();
        for record in self.0.get(name).map(Vec::as_slice).unwrap_or_default() {
            match record[0].as_str().unwrap() {
                "TIMEOUT" if values.is_empty() => return None,
                "CNAME" if aliases > 8 => return None,
                "CNAME" => {
                    let target = record[1].as_str().unwrap().trim_end_matches('.').to_lowercase();
                    values.extend(self.values(&target, kind, aliases + 1)?);
                }
                found if found == kind => values.push(record[1].as_str().unwrap().to_owned()),
                _ => {}
            }
        }
        Some(values)
    }
}

/// Evaluates a check and returns its result with the number of rounds of queries.
fn evaluate(check: &SpfCheck, answer: impl Fn(&SpfQuery) -> SpfAnswer) -> (SpfResult, usize) {
    let mut answers = SpfAnswers::new();
    for rounds in 0..100 {
        match check.evaluate(&answers) {
            Ok(result) => return (result, rounds),
            Err(queries) => {
                assert!(!queries.is_empty());
                for query in queries {
                    let answer = answer(&query);
                    assert!(answers.insert(query, answer).is_none(), "a query is asked once");
                }
            }
        }
    }
    panic!("the evaluation does not end");
}

fn word(result: SpfResult) -> &'static str {
    match result {
        SpfResult::None => "none",
        SpfResult::Neutral => "neutral",
        SpfResult::Pass => "pass",
        SpfResult::Fail => "fail",
        SpfResult::SoftFail => "softfail",
        SpfResult::TempError => "temperror",
        SpfResult::PermError => "permerror",
    }
}

#[test]
fn published_suite_passes() {
    let scenarios: Vec<Value> = serde_json::from_str(include_str!("rfc7208.json")).unwrap();
    let (mut cases, mut wrong) = (0, Vec::new());
    for scenario in &scenarios {
        let zone: HashMap<String, Vec<Value>> = serde_json::from_value(scenario["zone"].clone()).unwrap();
        let zone = Zone(zone);
        for (name, case) in scenario["tests"].as_object().unwrap() {
            let text = |field: &str| case[field].as_str().unwrap();
            let client: IpAddr = text("host").parse().unwrap();
            let sender = text("mailfrom").rsplit_once('@');
            let (result, _) = evaluate(&SpfCheck::new(client, text("helo"), sender), |query| zone.answer(query));
            cases += 1;
            let wanted: Vec<&str> = case["results"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            if !wanted.contains(&word(result)) {
                wrong.push(format!("{name}: {} instead of {wanted:?}", word(result)));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(cases, 203);
}

/// Returns a check of `alice@example.org` from 192.0.2.1.
fn check() -> SpfCheck {
    SpfCheck::new("192.0.2.1".parse().unwrap(), "mx.example.org", Some(("alice", "example.org")))
}

#[test]
fn hosts_of_one_term_are_queried_at_once() {
    let hosts: Vec<String> = (0..10).map(|number| format!("MX{number}.example.org.")).collect();
    let (result, rounds) = evaluate(&check(), |query| match query.record_type {
        SpfRecordType::Txt => SpfAnswer::Texts(vec!["v=spf1 mx ptr -all".to_owned()]),
        SpfRecordType::Mx | SpfRecordType::Ptr => SpfAnswer::Hosts(hosts.clone()),
        SpfRecordType::A if query.name == "mx9.example.org" => SpfAnswer::Addresses(vec![[192, 0, 2, 1].into()]),
        _ => SpfAnswer::Addresses(vec![[192, 0, 2, 2].into()]),
    });
    assert_eq!((result, rounds), (SpfResult::Pass, 3));
}

#[test]
fn void_lookups_are_counted_by_term() {
    let check = SpfCheck::new("2001:db8::1".parse().unwrap(), "mx.example.org", Some(("alice", "example.org")));
    let of_term = |terms: &str| {
        let text = format!("v=spf1 {terms} ip6:2001:db8::/32 -all");
        let answer = |query: &SpfQuery| match query.record_type {
            SpfRecordType::Txt => SpfAnswer::Texts(vec![text.clone()]),
            SpfRecordType::Mx => SpfAnswer::Hosts((0..5).map(|number| format!("mx{number}.example.org")).collect()),
            _ => SpfAnswer::Addresses(Vec::new()),
        };
        evaluate(&check, answer).0
    };
    assert_eq!(of_term("mx a"), SpfResult::Pass, "five hosts without IPv6 are one void lookup");
    assert_eq!(of_term("mx a exists:no.example"), SpfResult::PermError);
}

#[test]
fn hostile_records_end_soon() {
    let long = format!("v=spf1 exists:{}%{{d}}.example.net -all", "%{s}.".repeat(12_000));
    let many = format!("v=spf1 {}", "include:%{l}.%{d} ".repeat(3_000));
    let chain = format!("v=spf1 include:{}.evil.example -all", "%{S}".repeat(64));
    for text in [long, many, chain, "v=spf1 redirect=%{d}".to_owned(), "v=spf1 mx:%{p}.%{p} redirect=%{d}".to_owned()] {
        let began = std::time::Instant::now();
        let (result, rounds) = evaluate(&check(), |query| match query.record_type {
            SpfRecordType::Txt => SpfAnswer::Texts(vec![text.clone()]),
            SpfRecordType::Mx | SpfRecordType::Ptr => {
                SpfAnswer::Hosts((0..1000).map(|n| format!("h{n}.example")).collect())
            }
            _ => SpfAnswer::Addresses(Vec::new()),
        });
        assert!(matches!(result, SpfResult::PermError | SpfResult::Fail), "{result:?}");
        assert!(rounds <= 24, "{rounds} rounds");
        assert!(began.elapsed().as_millis() < 1500, "{:?}", began.elapsed());
    }
}

#[test]
fn validity_of_a_record_follows_the_grammar() {
    let cases = [
        ("v=spf1", true),
        ("V=SPF1 A:example.org/24//64 -ALL", true),
        ("v=spf1 a:%{d2}/0 ?all", true),
        ("v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 x=%{c} -all", true),
        ("v=spf10", false),
        ("v=spf1 ipv4:192.0.2.1 -all", false),
        ("v=spf1 a:%{d0} -all", false),
        ("v=spf1 a:%{dR7.-} -all", false),
        ("v=spf1 a:%{d", false),
        ("v=spf1 a:b\u{fc}cher.example -all", false),
        ("v=spf1 redirect=a.example redirect=b.example", false),
    ];
    for (text, wanted) in cases {
        assert_eq!(is_valid_spf_record(text), wanted, "{text}");
    }
}
