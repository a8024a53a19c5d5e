//! Evaluation of the records of one domain: MX (RFC 5321), SPF (RFC 7208), DKIM and DMARC (RFC 7489).

use std::net::IpAddr;

use futures_util::future::join_all;
use inboxd_core::model::DomainRecord;
use inboxd_core::model::domain::RecordStatus;
use inboxd_core::ports::{Lookup, MxHost};
use inboxd_core::rules::domains::dmarc::is_dmarc;
use inboxd_core::rules::domains::verify::{RecordAnswer, evaluate};
use inboxd_core::rules::domains::zone::quoted_strings;
use inboxd_mail::is_spf_record;
use inboxd_smtp::dns::DnsResolver;

use super::Finding;

/// Effect of a missing record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Severity {
    Minor,
    Grave,
}

impl Severity {
    fn finding(self, check: &str, found: String, mend: String) -> Finding {
        match self {
            Self::Minor => Finding::warn(check, found, mend),
            Self::Grave => Finding::fail(check, found, mend),
        }
    }
}

const NO_ANSWER: &str = "try again; if the error persists, mend the name servers of the domain";

/// Checks that the MX records of a domain point to hosts with addresses.
pub(super) async fn mx(domain: &str, host: &str, answer: Lookup<MxHost>, resolver: &DnsResolver) -> Finding {
    let publish = format!("publish `{domain}. MX 10 {host}.`");
    let mut hosts = match answer {
        Lookup::Failed(why) => return Finding::fail("MX", format!("{domain}: {why}"), NO_ANSWER),
        Lookup::Absent => {
            return Finding::fail("MX", format!("{domain} has no MX record"), publish);
        }
        Lookup::Found(hosts) => hosts,
    };
    hosts.sort_by_key(|mx| mx.preference);
    if hosts.iter().any(|mx| mx.host.is_empty()) {
        return Finding::fail(
            "MX",
            format!("{domain} takes no mail, according to its null MX record (RFC 7505)"),
            publish,
        );
    }
    let addresses = join_all(hosts.iter().map(|mx| resolver.addresses(&mx.host))).await;
    let lost: Vec<&str> = hosts
        .iter()
        .zip(&addresses)
        .filter(|(_, addresses)| matches!(addresses, Lookup::Absent))
        .map(|(mx, _)| mx.host.as_str())
        .collect();
    let shown: Vec<&str> = hosts.iter().map(|mx| mx.host.as_str()).collect();
    if lost.is_empty() {
        let best = hosts.first().map(|mx| mx.preference);
        let first = hosts.iter().zip(&addresses).filter(|(mx, _)| Some(mx.preference) == best);
        let ours = resolver.addresses(host).await;
        let is_here = |(mx, found): (&MxHost, &Lookup<IpAddr>)| {
            mx.host.eq_ignore_ascii_case(host)
                || matches!((found, &ours), (Lookup::Found(theirs), Lookup::Found(ours)) if theirs.iter().any(|ip| ours.contains(ip)))
        };
        let found = format!("mail for {domain} goes to {}", shown.join(", "));
        if first.clone().any(is_here) {
            return Finding::ok("MX", found);
        }
        let mend = format!("{publish}, unless those hosts forward their mail to this server");
        return Finding::warn("MX", format!("{found}, none of which is {host}"), mend);
    }
    let mend = format!("publish A or AAAA records of {}, or remove the MX record", lost.join(", "));
    let found = format!("mail for {domain} goes to {}, which has no address", lost.join(", "));
    if lost.len() == shown.len() { Finding::fail("MX", found, mend) } else { Finding::warn("MX", found, mend) }
}

/// Checks that a domain has exactly one SPF record. Its mechanisms are not evaluated.
pub(super) fn spf(domain: &str, answer: Lookup<String>, severity: Severity) -> Finding {
    let texts = match answer {
        Lookup::Failed(why) => return Finding::warn("SPF", format!("{domain}: {why}"), NO_ANSWER),
        Lookup::Absent => Vec::new(),
        Lookup::Found(texts) => texts,
    };
    let records: Vec<&String> = texts.iter().filter(|text| is_spf_record(text)).collect();
    match records.as_slice() {
        [only] => Finding::ok("SPF", format!("{domain} has `{only}`")),
        [] => severity.finding(
            "SPF",
            format!("{domain} has no SPF record"),
            format!("publish a TXT record of {domain} that names its sending hosts, such as `v=spf1 mx -all`"),
        ),
        several => severity.finding(
            "SPF",
            format!("{domain} has {} SPF records, which is an error (RFC 7208)", several.len()),
            "merge them into one".to_owned(),
        ),
    }
}

/// Checks that the current or next DKIM key of a domain is published.
pub(super) fn dkim(domain: &str, record: Option<DomainRecord>, signs: bool, answer: Lookup<String>) -> Finding {
    let Some(record) = record else {
        let found = format!("{domain} has no DKIM key yet");
        return Finding::warn("DKIM", found, "run `inboxd serve` with the role worker, which creates it");
    };
    let publish = format!("publish `{}. TXT {}`", record.name, quoted_strings(&record.value));
    let name = record.name.clone();
    let judged = evaluate(record, &RecordAnswer::Txt(answer)).record;
    match judged.status {
        RecordStatus::Valid if signs => Finding::ok("DKIM", format!("{name} has the key that signs mail of {domain}")),
        RecordStatus::Valid => Finding::ok(
            "DKIM",
            format!("{name} has the key; `inboxd serve` signs mail of {domain} with it from now on"),
        ),
        RecordStatus::Missing if judged.reason.is_none() && signs => {
            Finding::warn("DKIM", format!("{name} lacks the key that signs mail of {domain}"), publish)
        }
        RecordStatus::Missing if judged.reason.is_none() => {
            let found = format!("mail of {domain} is not signed before {name} has its key");
            Finding::warn("DKIM", found, publish)
        }
        _ => Finding::warn("DKIM", format!("{name}: {}", judged.reason.unwrap_or_default()), publish),
    }
}

/// Checks the DMARC policy of a domain.
pub(super) fn dmarc(domain: &str, answer: Lookup<String>) -> Finding {
    let texts = match answer {
        Lookup::Failed(why) => return Finding::warn("DMARC", format!("_dmarc.{domain}: {why}"), NO_ANSWER),
        Lookup::Absent => Vec::new(),
        Lookup::Found(texts) => texts,
    };
    let policies: Vec<&String> = texts.iter().filter(|text| is_dmarc(text)).collect();
    match policies.as_slice() {
        [only] => Finding::ok("DMARC", format!("{domain} has `{only}`")),
        [] => Finding::warn(
            "DMARC",
            format!("{domain} has no DMARC policy, which large receivers require"),
            format!("publish a TXT record of _dmarc.{domain} such as `v=DMARC1; p=none`"),
        ),
        _ => Finding::warn(
            "DMARC",
            format!("{domain} has several DMARC policies, which invalidates all of them"),
            "keep one",
        ),
    }
}

#[cfg(test)]
mod tests {
    use inboxd_core::rules::domains::records::key_record;

    use super::*;
    use crate::doctor::Level;

    fn found(texts: &[&str]) -> Lookup<String> {
        Lookup::Found(texts.iter().map(|&text| text.to_owned()).collect())
    }

    #[test]
    fn spf_needs_exactly_one_record() {
        let failed = Lookup::Failed("no answer in time".to_owned());
        let table = [
            (found(&["v=spf1 mx -all", "other=1"]), Severity::Grave, Level::Ok, "v=spf1 mx -all"),
            (Lookup::Absent, Severity::Grave, Level::Fail, "publish a TXT record of example.org"),
            (Lookup::Absent, Severity::Minor, Level::Warn, "publish a TXT record of example.org"),
            (found(&["v=spf10 mx"]), Severity::Grave, Level::Fail, "has no SPF record"),
            (found(&["v=spf1 mx", "v=spf1 a"]), Severity::Grave, Level::Fail, "merge them"),
            (failed, Severity::Grave, Level::Warn, "no answer in time"),
        ];
        for (answer, severity, level, words) in table {
            let finding = spf("example.org", answer, severity);
            assert_eq!(finding.level, level, "{finding}");
            assert!(finding.to_string().contains(words), "{finding}");
        }
    }

    #[test]
    fn the_key_that_signs_can_be_looked_up() {
        let record = || key_record("example.org", "inboxd", "AAAA");
        let silent = Lookup::Failed("no answer in time".to_owned());
        let table = [
            (
                Some(record()),
                found(&["v=DKIM1; k=rsa; p=AAAA"]),
                Level::Ok,
                "inboxd._domainkey.example.org has the key",
            ),
            (
                Some(record()),
                Lookup::Absent,
                Level::Warn,
                "publish `inboxd._domainkey.example.org. TXT \"v=DKIM1; k=rsa; p=AAAA\"`",
            ),
            (Some(record()), found(&["v=DKIM1; p=BBBB"]), Level::Warn, "value_mismatch"),
            (Some(record()), silent, Level::Warn, "no answer in time"),
            (None, Lookup::Absent, Level::Warn, "inboxd serve"),
        ];
        for (record, answer, level, words) in table {
            let finding = dkim("example.org", record, true, answer);
            assert_eq!(finding.level, level, "{finding}");
            assert!(finding.to_string().contains(words), "{finding}");
        }
    }

    #[test]
    fn the_first_key_waits_for_its_record() {
        let record = || Some(key_record("example.org", "inboxd", "AAAA"));
        let missing = dkim("example.org", record(), false, Lookup::Absent);
        assert_eq!(missing.level, Level::Warn);
        assert!(
            missing.to_string().contains("not signed before inboxd._domainkey.example.org has its key"),
            "{missing}"
        );
        let found = dkim("example.org", record(), false, found(&["v=DKIM1; k=rsa; p=AAAA"]));
        assert_eq!(found.level, Level::Ok, "{found}");
        assert!(found.to_string().contains("from now on"), "{found}");
    }

    #[test]
    fn a_policy_is_wanted_and_one_alone() {
        let table = [
            (found(&["v=DMARC1; p=none"]), Level::Ok, "p=none"),
            (found(&["hello"]), Level::Warn, "_dmarc.example.org"),
            (Lookup::Absent, Level::Warn, "p=none"),
            (found(&["v=DMARC1; p=none", "v=DMARC1; p=reject"]), Level::Warn, "keep one"),
        ];
        for (answer, level, words) in table {
            let finding = dmarc("example.org", answer);
            assert_eq!(finding.level, level, "{finding}");
            assert!(finding.to_string().contains(words), "{finding}");
        }
    }
}
