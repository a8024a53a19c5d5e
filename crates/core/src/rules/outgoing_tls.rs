//! TLS of sessions with mail hosts: the policy of the operator, and its combination with MTA-STS and DANE.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::dane::{DaneStatus, TlsaSet};
use super::destinations::{MailDestination, in_ascii};

/// TLS that the operator demands for a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TlsLevel {
    /// `may`: TLS where offered, with any certificate. MTA-STS and DANE of the destination do not count.
    May,
    /// `opportunistic`: TLS where offered, with any certificate, unless MTA-STS or DANE demand more.
    #[default]
    Opportunistic,
    /// `encrypt`: TLS with any certificate.
    Encrypt,
    /// `verify`: TLS with a certificate that is valid for the host, or authenticated by DANE.
    Verify,
    /// `dane-only`: TLS authenticated by DANE.
    DaneOnly,
}

impl FromStr for TlsLevel {
    type Err = TlsPolicyError;

    fn from_str(text: &str) -> Result<Self, TlsPolicyError> {
        match text {
            "may" => Ok(Self::May),
            "opportunistic" => Ok(Self::Opportunistic),
            "encrypt" => Ok(Self::Encrypt),
            "verify" => Ok(Self::Verify),
            "dane-only" => Ok(Self::DaneOnly),
            _ => Err(TlsPolicyError(format!("{text:?} is no level"))),
        }
    }
}

/// Reason for which a text is not a policy of outgoing TLS.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TlsPolicyError(String);

/// Levels by destination, as in `example.org=verify,*.bank.example=encrypt,*=opportunistic`.
///
/// `*.bank.example` matches all names below `bank.example`, `*` all destinations. The longest match counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutgoingTlsPolicy {
    exact: BTreeMap<String, TlsLevel>,
    /// Keys without `*.`; that of `*` is empty.
    below: BTreeMap<String, TlsLevel>,
}

impl OutgoingTlsPolicy {
    /// Returns the level of a destination.
    #[must_use]
    pub fn level(&self, destination: &MailDestination) -> TlsLevel {
        let name = destination.to_string();
        if let Some(level) = self.exact.get(&name) {
            return *level;
        }
        let is_domain = matches!(destination, MailDestination::Domain(_));
        let mut rest = name.as_str();
        while let Some((_, parent)) = rest.split_once('.').filter(|_| is_domain) {
            if let Some(level) = self.below.get(parent) {
                return *level;
            }
            rest = parent;
        }
        self.below.get("").copied().unwrap_or_default()
    }

    /// Returns whether a destination has this level.
    #[must_use]
    pub fn has(&self, level: TlsLevel) -> bool {
        self.exact.values().chain(self.below.values()).any(|known| *known == level)
    }
}

impl FromStr for OutgoingTlsPolicy {
    type Err = TlsPolicyError;

    fn from_str(text: &str) -> Result<Self, TlsPolicyError> {
        let mut policy = Self::default();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (pattern, level) =
                item.split_once('=').ok_or_else(|| TlsPolicyError(format!("{item:?} is not destination=level")))?;
            let (pattern, level) = (pattern.trim(), level.trim().parse::<TlsLevel>()?);
            if pattern.starts_with('[') && level == TlsLevel::DaneOnly {
                return Err(TlsPolicyError(format!(
                    "{pattern:?} has no TLSA records, so dane-only would stop its mail"
                )));
            }
            let invalid = || TlsPolicyError(format!("{pattern:?} is no destination"));
            let previous = match (pattern, pattern.strip_prefix("*.")) {
                ("*", _) => policy.below.insert(String::new(), level),
                (_, Some(parent)) => policy.below.insert(domain(parent).ok_or_else(invalid)?, level),
                (_, None) => policy.exact.insert(destination(pattern).ok_or_else(invalid)?, level),
            };
            if previous.is_some() {
                return Err(TlsPolicyError(format!("{pattern:?} occurs twice")));
            }
        }
        Ok(policy)
    }
}

/// Returns the form of a destination in [`MailDestination`]: a domain or an address literal.
fn destination(pattern: &str) -> Option<String> {
    if !pattern.starts_with('[') {
        return domain(pattern);
    }
    let address = format!("postmaster@{pattern}").parse().ok()?;
    MailDestination::of(&address).map(|destination| destination.to_string())
}

fn domain(name: &str) -> Option<String> {
    let name = in_ascii(name.strip_suffix('.').unwrap_or(name))?;
    let is_label = |label: &str| {
        (1..=63).contains(&label.len()) && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    name.split('.').all(is_label).then_some(name)
}

/// Origin of a demand for TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TlsDemand {
    /// Policy of the operator.
    Operator,
    /// MTA-STS policy of the destination.
    StsPolicy,
    /// TLSA records of the host.
    TlsaRecords,
    /// Code in the message, after another host of the destination offered TLS.
    Code,
}

/// TLS that a session with a mail host needs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TlsRequirement {
    /// TLS with any certificate where it is offered. Plain text where it fails: better than no delivery, because an
    /// active attacker could remove the offer as well (RFC 7435).
    Opportunistic,
    /// TLS with any certificate where it is offered. No plain text where it fails: the message holds a code.
    Offered,
    /// TLS with any certificate.
    Encrypted(TlsDemand),
    /// TLS with a certificate of a public authority for the host (RFC 8461, section 4.2).
    Verified(TlsDemand),
    /// TLS authenticated by these records (RFC 7672, section 3).
    Dane(TlsaSet),
}

/// The operator demands DANE, and the host has no usable TLSA records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DaneMissing;

/// Returns the strictest TLS that the operator and the destination demand. DANE precedes MTA-STS (RFC 8461, section 2).
///
/// # Errors
/// [`DaneMissing`] for a host without usable TLSA records at [`TlsLevel::DaneOnly`].
pub fn required_tls(
    level: TlsLevel,
    is_code: bool,
    enforces_sts: bool,
    dane: DaneStatus,
) -> Result<TlsRequirement, DaneMissing> {
    let optional = if is_code { TlsRequirement::Offered } else { TlsRequirement::Opportunistic };
    Ok(match (level, dane) {
        (TlsLevel::May, _) => optional,
        (_, DaneStatus::Usable(records)) => TlsRequirement::Dane(records),
        (TlsLevel::DaneOnly, _) => return Err(DaneMissing),
        _ if enforces_sts => TlsRequirement::Verified(TlsDemand::StsPolicy),
        (TlsLevel::Verify, _) => TlsRequirement::Verified(TlsDemand::Operator),
        (TlsLevel::Encrypt, _) => TlsRequirement::Encrypted(TlsDemand::Operator),
        (TlsLevel::Opportunistic, DaneStatus::Unusable) => TlsRequirement::Encrypted(TlsDemand::TlsaRecords),
        (TlsLevel::Opportunistic, DaneStatus::NotPublished) => optional,
    })
}

#[cfg(test)]
mod tests {
    use super::TlsDemand::{Operator, StsPolicy, TlsaRecords};
    use super::TlsLevel::{DaneOnly, Encrypt, May, Opportunistic, Verify};
    use super::*;
    use crate::rules::dane::TlsaRecord;

    fn level(policy: &str, address: &str) -> Option<TlsLevel> {
        let destination = MailDestination::of(&address.parse().ok()?)?;
        Some(policy.parse::<OutgoingTlsPolicy>().ok()?.level(&destination))
    }

    #[test]
    fn longest_match_decides() {
        let policy = "Example.org.=verify, *.bank.example=encrypt,*.a.bank.example=may,[192.0.2.1]=encrypt,\
                      m\u{fc}nchen.example=dane-only";
        for (domain, expected) in [
            ("example.org", Verify),
            ("mail.example.org", Opportunistic),
            ("bank.example", Opportunistic),
            ("a.bank.example", Encrypt),
            ("b.a.bank.example", May),
            ("c.b.a.bank.example", May),
            ("otherbank.example", Opportunistic),
            ("xn--mnchen-3ya.example", DaneOnly),
            ("[192.0.2.1]", Encrypt),
            ("[192.0.2.2]", Opportunistic),
        ] {
            assert_eq!(level(policy, &format!("anna@{domain}")), Some(expected), "{domain}");
        }
        assert_eq!(level("*=verify,*.org=may", "anna@example.com"), Some(Verify));
        assert_eq!(level("*=verify,*.org=may", "anna@example.org"), Some(May));
        assert_eq!(level("*=verify,*.2.1=may", "anna@[192.0.2.1]"), Some(Verify), "addresses have no parents");
        assert_eq!(level("", "anna@example.org"), Some(Opportunistic));
    }

    #[test]
    fn invalid_policy_is_an_error_with_its_part() {
        for (text, part) in [
            ("example.org", "\"example.org\" is not destination=level"),
            ("example.org=tls", "\"tls\" is no level"),
            ("example.org=Verify", "\"Verify\" is no level"),
            ("=verify", "\"\" is no destination"),
            ("exa mple.org=verify", "\"exa mple.org\" is no destination"),
            ("*.*.org=verify", "\"*.*.org\" is no destination"),
            ("mx*.org=verify", "\"mx*.org\" is no destination"),
            ("[192.0.2]=verify", "\"[192.0.2]\" is no destination"),
            ("a.example=verify,A.example=encrypt", "\"A.example\" occurs twice"),
            ("[192.0.2.1]=dane-only", "\"[192.0.2.1]\" has no TLSA records, so dane-only would stop its mail"),
        ] {
            let error = text.parse::<OutgoingTlsPolicy>().err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some(part), "{text}");
        }
    }

    #[test]
    fn levels_in_use_are_known() -> Result<(), TlsPolicyError> {
        let policy: OutgoingTlsPolicy = "a.example=dane-only,*=verify".parse()?;
        assert!(policy.has(DaneOnly) && policy.has(Verify) && !policy.has(May));
        Ok(())
    }

    #[test]
    fn strictest_demand_counts_and_dane_precedes_sts() {
        let set = TlsaSet {
            names: vec!["mx.example".to_owned()],
            records: vec![TlsaRecord { usage: 3, selector: 1, matching: 1, data: vec![0; 32] }],
        };
        let (usable, dane) = (DaneStatus::Usable(set.clone()), TlsRequirement::Dane(set));
        let (unusable, none) = (DaneStatus::Unusable, DaneStatus::NotPublished);
        let (plain, encrypted, verified) =
            (TlsRequirement::Opportunistic, TlsRequirement::Encrypted, TlsRequirement::Verified);
        let table = [
            (May, true, &usable, Ok(plain.clone())),
            (May, false, &none, Ok(plain.clone())),
            (Opportunistic, false, &none, Ok(plain)),
            (Opportunistic, false, &unusable, Ok(encrypted(TlsaRecords))),
            (Opportunistic, false, &usable, Ok(dane.clone())),
            (Opportunistic, true, &none, Ok(verified(StsPolicy))),
            (Opportunistic, true, &unusable, Ok(verified(StsPolicy))),
            (Opportunistic, true, &usable, Ok(dane.clone())),
            (Encrypt, false, &none, Ok(encrypted(Operator))),
            (Encrypt, false, &unusable, Ok(encrypted(Operator))),
            (Encrypt, true, &none, Ok(verified(StsPolicy))),
            (Encrypt, false, &usable, Ok(dane.clone())),
            (Verify, false, &none, Ok(verified(Operator))),
            (Verify, false, &unusable, Ok(verified(Operator))),
            (Verify, true, &none, Ok(verified(StsPolicy))),
            (Verify, false, &usable, Ok(dane.clone())),
            (DaneOnly, false, &none, Err(DaneMissing)),
            (DaneOnly, true, &unusable, Err(DaneMissing)),
            (DaneOnly, true, &usable, Ok(dane)),
        ];
        for (level, enforces_sts, status, expected) in table {
            let found = required_tls(level, false, enforces_sts, status.clone());
            assert_eq!(found, expected, "{level:?} {enforces_sts} {status:?}");
            // A code changes optional TLS only.
            let of_code = required_tls(level, true, enforces_sts, status.clone());
            let expected =
                if expected == Ok(TlsRequirement::Opportunistic) { Ok(TlsRequirement::Offered) } else { expected };
            assert_eq!(of_code, expected, "code: {level:?} {enforces_sts} {status:?}");
        }
    }
}
