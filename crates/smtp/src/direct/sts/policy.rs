//! MTA-STS policy files and records (RFC 8461, section 3).

use inboxd_core::model::{StsMode, StsPolicy};
use time::{Duration, OffsetDateTime};

use crate::direct::hosts::MailHost;

/// Limit of the maximum age of a policy: one year (RFC 8461, section 3.2).
const MAX_AGE_SECONDS: i64 = 31_557_600;
/// Number of hosts in a policy.
const MAX_POLICY_HOSTS: usize = 100;
/// Limit of a host pattern: `*.` and a name (RFC 1035, section 2.3.4).
const MAX_HOST_BYTES: usize = 255;

/// Parses a policy file fetched under an id. Returns `None` when it is not valid.
pub(super) fn parse_policy(text: &str, id: &str, fetched_at: OffsetDateTime) -> Option<StsPolicy> {
    let mut version = None;
    let (mut mode, mut max_age, mut hosts) = (None, None, Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once(':')?;
        let value = value.trim();
        // The first occurrence of a field counts, except for hosts.
        match key.trim() {
            "version" => version = version.or(Some(value)),
            "mode" => mode = mode.or(Some(value)),
            "max_age" => max_age = max_age.or(Some(value)),
            "mx" if hosts.len() < MAX_POLICY_HOSTS && may_be_host(value) => {
                hosts.push(value.trim_end_matches('.').to_ascii_lowercase());
            }
            _ => {}
        }
    }
    let mode = StsMode::named(mode?)?;
    let max_age = max_age?.parse::<u64>().ok()?;
    let max_age =
        Duration::seconds(i64::try_from(max_age).map_or(MAX_AGE_SECONDS, |max_age| max_age.min(MAX_AGE_SECONDS)));
    let is_whole = version == Some("STSv1") && (mode == StsMode::None || !hosts.is_empty());
    is_whole.then(|| StsPolicy { id: id.to_owned(), mode, hosts, fetched_at, max_age })
}

/// Returns whether a text can be a host pattern.
fn may_be_host(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_HOST_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Returns the reason for which a host must not receive the message, if there is one.
pub(in crate::direct) fn policy_violation(policy: &StsPolicy, host: &MailHost) -> Option<String> {
    let name = host.name();
    if policy.mode == StsMode::None || matches_host(policy, &name) {
        return None;
    }
    if policy.mode == StsMode::Testing {
        tracing::info!(host = name, "host violates MTA-STS policy under test");
        return None;
    }
    Some(format!("{name} is not a host of the MTA-STS policy"))
}

fn matches_host(policy: &StsPolicy, host: &str) -> bool {
    policy.hosts.iter().any(|pattern| match pattern.strip_prefix("*.") {
        Some(parent) => host.split_once('.').is_some_and(|(label, rest)| !label.is_empty() && rest == parent),
        None => host == pattern,
    })
}

/// Returns the id of a record at `_mta-sts.`, or `None` when the text is not such a record (RFC 8461, section 3.1).
pub(super) fn record_id(record: &str) -> Option<&str> {
    let mut fields = record.split(';').map(str::trim);
    if fields.next()? != "v=STSv1" {
        return None;
    }
    let id = fields.find_map(|field| field.split_once('=').filter(|(key, _)| key.trim() == "id"))?.1.trim();
    ((1..=32).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<StsPolicy> {
        parse_policy(text, "1", OffsetDateTime::UNIX_EPOCH)
    }

    fn allows(policy: &str, host: &str) -> Option<bool> {
        read(policy).map(|policy| policy_violation(&policy, &MailHost::Named(host.to_owned())).is_none())
    }

    #[test]
    fn valid_policy_is_parsed() {
        let text =
            "version: STSv1\r\nmode: enforce\r\nmx: Mail.example.com\r\nmx: *.example.net.\r\nmax_age: 604800\r\n";
        let policy = read(text);
        assert_eq!(
            policy,
            Some(StsPolicy {
                id: "1".to_owned(),
                mode: StsMode::Enforce,
                hosts: vec!["mail.example.com".to_owned(), "*.example.net".to_owned()],
                fetched_at: OffsetDateTime::UNIX_EPOCH,
                max_age: Duration::hours(168),
            })
        );
        let long = format!("version: STSv1\nmode: enforce\nmx: {}\nmx: a.example\nmax_age: 1", "a".repeat(256));
        assert_eq!(read(&long).map(|policy| policy.hosts), Some(vec!["a.example".to_owned()]));
        let forever = read("version: STSv1\nmode: none\nmax_age: 99999999999");
        assert_eq!(forever.map(|policy| policy.max_age), Some(Duration::seconds(MAX_AGE_SECONDS)));
    }

    #[test]
    fn invalid_policy_is_none() {
        for text in [
            "",
            "version: STSv2\nmode: enforce\nmx: a.example\nmax_age: 1",
            "mode: enforce\nmx: a.example\nmax_age: 1",
            "version: STSv1\nmode: strict\nmx: a.example\nmax_age: 1",
            "version: STSv1\nmode: enforce\nmax_age: 1",
            "version: STSv1\nmode: enforce\nmx: a.example\nmax_age: -1",
            "version: STSv1\nmode: enforce\nmx: a.example",
            "<html>",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn wildcard_matches_one_label() {
        let policy = "version: STSv1\nmode: enforce\nmx: mail.example.com\nmx: *.example.net\nmax_age: 1";
        for (host, fits) in [
            ("mail.example.com", true),
            ("other.example.com", false),
            ("a.example.net", true),
            ("a.b.example.net", false),
            ("example.net", false),
        ] {
            assert_eq!(allows(policy, host), Some(fits), "{host}");
        }
        for mode in ["testing", "none"] {
            assert_eq!(allows(&policy.replace("enforce", mode), "other.example.com"), Some(true), "{mode}");
        }
    }

    #[test]
    fn record_id_is_parsed() {
        let table = [
            ("v=STSv1; id=20160831085700Z;", Some("20160831085700Z")),
            ("v=STSv1;id=1", Some("1")),
            ("v=STSv1; other=x; id = abc ;", Some("abc")),
            ("v=STSv1", None),
            ("v=STSv1; id=;", None),
            ("v=STSv1; id=a-b;", None),
            ("v=STSv2; id=1;", None),
            ("v=spf1 -all", None),
        ];
        for (record, expected) in table {
            assert_eq!(record_id(record), expected, "{record}");
        }
    }
}
