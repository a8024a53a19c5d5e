//! Evaluation of the records of one domain: MX (RFC 5321), SPF (RFC 7208), DKIM and DMARC (RFC 7489).

use std::net::IpAddr;

use futures_util::future::join_all;
use inboxd_core::model::DomainRecord;
use inboxd_core::model::domain::RecordStatus;
use inboxd_core::ports::{Lookup, MxHost};
use inboxd_core::rules::domains::dmarc::is_dmarc;
use inboxd_core::rules::domains::verify::{RecordAnswer, evaluate};
use inboxd_core::rules::domains::zone::quoted_strings;
use inboxd_mail::{is_spf_record, is_valid_spf_record};
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

/// Checks that a domain has exactly one SPF record that is valid and permits a host. Its mechanisms are not evaluated.
pub(super) fn spf(domain: &str, answer: Lookup<String>, example: Option<&str>, severity: Severity) -> Finding {
    let texts = match answer {
        Lookup::Failed(why) => return Finding::warn("SPF", format!("{domain}: {why}"), NO_ANSWER),
        Lookup::Absent => Vec::new(),
        Lookup::Found(texts) => texts,
    };
    let records: Vec<&String> = texts.iter().filter(|text| is_spf_record(text)).collect();
    match records.as_slice() {
        [only] if !is_valid_spf_record(only) => severity.finding(
            "SPF",
            format!("{domain} has `{only}`, which is not valid, so that receivers refuse its mail (RFC 7208)"),
            "correct its syntax".to_owned(),
        ),
        [only] if permits_no_host(only) => severity.finding(
            "SPF",
            format!("{domain} has `{only}`, which permits no host to send"),
            "add its sending hosts, such as `mx`, or the include that your relay names".to_owned(),
        ),
        [only] => Finding::ok("SPF", format!("{domain} has `{only}`")),
        [] => severity.finding(
            "SPF",
            format!("{domain} has no SPF record"),
            match example {
                Some(example) => {
                    format!("publish a TXT record of {domain} that names its sending hosts, such as `{example}`")
                }
                None => format!("publish a TXT record of {domain} with `v=spf1` and the include that your relay names"),
            },
        ),
        several => severity.finding(
            "SPF",
            format!("{domain} has {} SPF records, which is an error (RFC 7208)", several.len()),
            "merge them into one".to_owned(),
        ),
    }
}

/// Returns whether a valid SPF record has neither a mechanism that passes nor a modifier that may lead to one.
fn permits_no_host(record: &str) -> bool {
    let is_negative = |term: &str| term.starts_with(['-', '~', '?']) || term.to_ascii_lowercase().starts_with("exp=");
    record.split(' ').skip(1).filter(|term| !term.is_empty()).all(is_negative)
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

/// Returns whether a record names `postmaster@` in place of the address of the wanted record, whose reports are read.
fn names_postmaster(found: &str, wanted: &str) -> bool {
    let host = wanted.rsplit_once('@').map(|(_, host)| host.to_ascii_lowercase());
    host.is_some_and(|host| found.to_ascii_lowercase().contains(&format!("mailto:postmaster@{host}")))
}

/// Checks the DMARC policy of a domain.
pub(super) fn dmarc(domain: &str, record: &str, answer: Lookup<String>) -> Finding {
    let texts = match answer {
        Lookup::Failed(why) => return Finding::warn("DMARC", format!("_dmarc.{domain}: {why}"), NO_ANSWER),
        Lookup::Absent => Vec::new(),
        Lookup::Found(texts) => texts,
    };
    let policies: Vec<&String> = texts.iter().filter(|text| is_dmarc(text)).collect();
    match policies.as_slice() {
        [only] if names_postmaster(only, record) => {
            let found = format!("{domain} has `{only}`, and reports to postmaster@ are not read");
            Finding::warn(
                "DMARC",
                found,
                format!("publish `_dmarc.{domain}. TXT \"{record}\"`, with your policy in p="),
            )
        }
        [only] => Finding::ok("DMARC", format!("{domain} has `{only}`")),
        [] => Finding::warn(
            "DMARC",
            format!("{domain} has no DMARC policy, which large receivers require"),
            format!("publish a TXT record of _dmarc.{domain} such as `{record}`"),
        ),
        _ => Finding::warn(
            "DMARC",
            format!("{domain} has several DMARC policies, which invalidates all of them"),
            "keep one",
        ),
    }
}

/// Checks the addresses of a host: any, or a known one.
pub(super) fn host(
    check: &str,
    host: &str,
    wanted: Option<IpAddr>,
    answer: &Lookup<IpAddr>,
    severity: Severity,
) -> Finding {
    let publish = match wanted {
        Some(IpAddr::V4(address)) => format!("publish `{host}. A {address}`"),
        Some(IpAddr::V6(address)) => format!("publish `{host}. AAAA {address}`"),
        None => format!("publish A or AAAA records of {host} with the addresses of this service"),
    };
    let found = match answer {
        Lookup::Found(found) => found,
        Lookup::Absent => return severity.finding(check, format!("{host} has no address"), publish),
        Lookup::Failed(why) => return Finding::warn(check, format!("{host}: {why}"), NO_ANSWER),
    };
    let shown = found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match wanted {
        Some(address) if !found.contains(&address) => {
            let publish = format!("{publish}, unless {shown} leads to this service");
            Finding::warn(check, format!("{host} has the address {shown}, not {address}"), publish)
        }
        Some(address) => Finding::ok(check, format!("{host} has the address {address}")),
        None => Finding::ok(check, format!("{host} has an address")),
    }
}

/// Checks the record that asks other servers for reports about TLS (RFC 8460, section 3).
pub(super) fn tls_reports(domain: &str, record: &str, answer: Lookup<String>) -> Finding {
    const CHECK: &str = "TLS-RPT";
    let publish = format!("publish `_smtp._tls.{domain}. TXT \"{record}\"`");
    let texts = match answer {
        Lookup::Failed(why) => return Finding::warn(CHECK, format!("_smtp._tls.{domain}: {why}"), NO_ANSWER),
        Lookup::Absent => Vec::new(),
        Lookup::Found(texts) => texts,
    };
    let records: Vec<&String> = texts.iter().filter(|text| text.starts_with("v=TLSRPTv1")).collect();
    match records.as_slice() {
        [only] if names_postmaster(only, record) => {
            let found = format!("{domain} has `{only}`, and reports to postmaster@ are not read");
            Finding::warn(CHECK, found, publish)
        }
        [only] => Finding::ok(CHECK, format!("{domain} has `{only}`")),
        [] => Finding::warn(CHECK, format!("{domain} asks for no reports about TLS, which is optional"), publish),
        _ => Finding::warn(CHECK, format!("_smtp._tls.{domain} has several records, which count as none"), "keep one"),
    }
}

/// Checks the record that permits other domains to name this service for DMARC reports (RFC 7489, section 7.1).
pub(super) fn report_permission(name: &str, record: &str, answer: &Lookup<String>) -> Finding {
    const CHECK: &str = "reports";
    match answer {
        Lookup::Failed(why) => Finding::warn(CHECK, format!("{name}: {why}"), NO_ANSWER),
        Lookup::Found(texts) if texts.iter().any(|text| is_dmarc(text)) => {
            Finding::ok(CHECK, "domains of customers may send their DMARC reports here".to_owned())
        }
        Lookup::Absent | Lookup::Found(_) => {
            let permits = format!("the optional record `{name}. TXT \"{record}\"` permits it");
            Finding::ok(CHECK, format!("domains of customers cannot send their DMARC reports here; {permits}"))
        }
    }
}

/// Checks that the record of an MTA-STS policy announces the current one.
pub(super) fn policy_record(domain: &str, record: &str, answer: Lookup<String>) -> Finding {
    let publish = format!("publish `_mta-sts.{domain}. TXT \"{record}\"`");
    let texts = match answer {
        Lookup::Failed(why) => return Finding::warn("MTA-STS", format!("_mta-sts.{domain}: {why}"), NO_ANSWER),
        Lookup::Absent => Vec::new(),
        Lookup::Found(texts) => texts,
    };
    let policies: Vec<&String> = texts.iter().filter(|text| text.starts_with("v=STSv1")).collect();
    match policies.as_slice() {
        [only] if only.trim_end_matches(';') == record => Finding::ok("MTA-STS", format!("{domain} has `{only}`")),
        [_] => Finding::warn("MTA-STS", format!("_mta-sts.{domain} announces another policy"), publish),
        [] => Finding::warn("MTA-STS", format!("{domain} announces no policy"), publish),
        _ => Finding::warn("MTA-STS", format!("_mta-sts.{domain} has several records, which count as none"), publish),
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
            (found(&["v=spf1 mx, -all"]), Severity::Grave, Level::Fail, "is not valid"),
            (found(&["v=spf1 ip4:192.0.2.1/99 -all"]), Severity::Minor, Level::Warn, "is not valid"),
            (found(&["v=spf1 -all"]), Severity::Grave, Level::Fail, "permits no host"),
            (found(&["v=spf1  -mx ?all exp=why.example.org"]), Severity::Grave, Level::Fail, "permits no host"),
            (found(&["v=spf1 redirect=_spf.example.org"]), Severity::Grave, Level::Ok, "redirect="),
            (found(&["v=spf1 -ip4:192.0.2.1 +all"]), Severity::Grave, Level::Ok, "+all"),
            (failed, Severity::Grave, Level::Warn, "no answer in time"),
        ];
        for (answer, severity, level, words) in table {
            let finding = spf("example.org", answer, Some("v=spf1 mx -all"), severity);
            assert_eq!(finding.level, level, "{finding}");
            assert!(finding.to_string().contains(words), "{finding}");
        }
        let relayed = spf("example.org", Lookup::Absent, None, Severity::Grave).to_string();
        assert!(relayed.contains("the include that your relay names") && !relayed.contains("-all"), "{relayed}");
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
    fn policy_record_announces_current_policy() {
        let table = [
            (found(&["v=STSv1; id=1"]), Level::Ok, "v=STSv1; id=1"),
            (found(&["v=STSv1; id=1;", "other"]), Level::Ok, "v=STSv1; id=1;"),
            (found(&["v=STSv1; id=2"]), Level::Warn, "publish `_mta-sts.example.org. TXT \"v=STSv1; id=1\"`"),
            (Lookup::Absent, Level::Warn, "announces no policy"),
            (found(&["v=STSv1; id=1", "v=STSv1; id=1"]), Level::Warn, "several"),
        ];
        for (answer, level, words) in table {
            let finding = policy_record("example.org", "v=STSv1; id=1", answer);
            assert!(finding.level == level && finding.to_string().contains(words), "{finding}");
        }
    }

    #[test]
    fn a_policy_is_wanted_and_one_alone() {
        let table = [
            (found(&["v=DMARC1; p=none"]), Level::Ok, "p=none"),
            (found(&["hello"]), Level::Warn, "_dmarc.example.org"),
            (found(&["v=DMARC1; p=none; rua=mailto:Postmaster@example.org"]), Level::Warn, "are not read"),
            (found(&["v=DMARC1; p=none; rua=mailto:dmarc-reports@example.org"]), Level::Ok, "dmarc-reports@"),
            (found(&["v=DMARC1; p=none; rua=mailto:postmaster@example.net"]), Level::Ok, "postmaster@example.net"),
            (Lookup::Absent, Level::Warn, "p=none"),
            (found(&["v=DMARC1; p=none", "v=DMARC1; p=reject"]), Level::Warn, "keep one"),
        ];
        for (answer, level, words) in table {
            let finding = dmarc("example.org", "v=DMARC1; p=none; rua=mailto:dmarc-reports@example.org", answer);
            assert_eq!(finding.level, level, "{finding}");
            assert!(finding.to_string().contains(words), "{finding}");
        }
    }

    #[test]
    fn records_for_reports_name_addresses_that_are_read() {
        let record = "v=TLSRPTv1; rua=mailto:tls-reports@example.org";
        let table = [
            (found(&[record]), Level::Ok, "tls-reports@"),
            (found(&["v=TLSRPTv1; rua=mailto:postmaster@example.org"]), Level::Warn, "are not read"),
            (Lookup::Absent, Level::Warn, "optional"),
        ];
        for (answer, level, words) in table {
            let finding = tls_reports("example.org", record, answer);
            assert!(finding.level == level && finding.to_string().contains(words), "{finding}");
        }
        let permission = report_permission("*._report._dmarc.example.org", "v=DMARC1", &Lookup::Absent);
        assert_eq!(permission.level, Level::Ok, "it is optional: {permission}");
    }
}
