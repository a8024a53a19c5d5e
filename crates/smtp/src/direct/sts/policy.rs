//! What a domain demands of those who bring it mail (RFC 8461, section 3).

use std::time::Duration;

use crate::direct::hosts::Host;

/// The longest time for which a policy is kept: a year, in seconds (RFC 8461, section 3.2).
const LONGEST: u64 = 31_557_600;
/// The most hosts that a policy may name.
const MOST_HOSTS: usize = 100;

/// How strictly a policy is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::direct) enum Mode {
    /// Mail waits until a host is found that keeps it.
    Enforce,
    /// What does not keep it is only noted.
    Testing,
    /// There is none any more.
    None,
}

/// A policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::direct) struct Policy {
    pub(super) mode: Mode,
    /// The hosts that may take the mail: names, or `*.` and what follows one label.
    pub(super) hosts: Vec<String>,
    /// How long it holds.
    pub(super) max_age: Duration,
}

impl Policy {
    /// Reads a policy file; `None` when it is not valid.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut version = None;
        let (mut mode, mut max_age, mut hosts) = (None, None, Vec::new());
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (key, value) = line.split_once(':')?;
            let value = value.trim();
            // Of a field that stands twice the first counts; only hosts are many.
            match key.trim() {
                "version" => version = version.or(Some(value)),
                "mode" => mode = mode.or(Some(value)),
                "max_age" => max_age = max_age.or(Some(value)),
                "mx" if hosts.len() < MOST_HOSTS => hosts.push(value.trim_end_matches('.').to_ascii_lowercase()),
                _ => {}
            }
        }
        let mode = match mode? {
            "enforce" => Mode::Enforce,
            "testing" => Mode::Testing,
            "none" => Mode::None,
            _ => return None,
        };
        let max_age: u64 = max_age?.parse().ok()?;
        let is_whole = version == Some("STSv1") && (mode == Mode::None || !hosts.is_empty());
        is_whole.then(|| Self { mode, hosts, max_age: Duration::from_secs(max_age.min(LONGEST)) })
    }

    /// Whether a host has to have a valid certificate.
    pub(in crate::direct) fn is_enforced(&self) -> bool {
        self.mode == Mode::Enforce
    }

    /// Why a host may not have the mail, if so.
    pub(in crate::direct) fn objection(&self, host: &Host) -> Option<String> {
        let name = host.name();
        if self.mode == Mode::None || self.names(&name) {
            return None;
        }
        if self.mode == Mode::Testing {
            tracing::info!(
                host = name,
                "the host is not one of those that the MTA-STS policy names; it is being tested"
            );
            return None;
        }
        Some(format!("{name} is not one of the hosts that the MTA-STS policy of the domain names"))
    }

    fn names(&self, host: &str) -> bool {
        self.hosts.iter().any(|pattern| match pattern.strip_prefix("*.") {
            Some(parent) => host.split_once('.').is_some_and(|(label, rest)| !label.is_empty() && rest == parent),
            None => host == pattern,
        })
    }
}

/// The id in a record at `_mta-sts.`; `None` when the text is no such record (RFC 8461, section 3.1).
pub(super) fn id(record: &str) -> Option<&str> {
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

    fn allows(policy: &str, host: &str) -> Option<bool> {
        Policy::read(policy).map(|policy| policy.objection(&Host::Named(host.to_owned())).is_none())
    }

    #[test]
    fn a_policy_is_read() {
        let text =
            "version: STSv1\r\nmode: enforce\r\nmx: Mail.example.com\r\nmx: *.example.net.\r\nmax_age: 604800\r\n";
        let policy = Policy::read(text);
        assert_eq!(
            policy,
            Some(Policy {
                mode: Mode::Enforce,
                hosts: vec!["mail.example.com".to_owned(), "*.example.net".to_owned()],
                max_age: Duration::from_hours(168),
            })
        );
        let forever = Policy::read("version: STSv1\nmode: none\nmax_age: 99999999999");
        assert_eq!(forever.map(|policy| policy.max_age), Some(Duration::from_secs(LONGEST)));
    }

    #[test]
    fn what_is_no_policy_is_none() {
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
            assert_eq!(Policy::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_host_is_named_or_fits_where_one_label_is_left_open() {
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
    fn a_record_has_an_id() {
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
            assert_eq!(id(record), expected, "{record}");
        }
    }
}
