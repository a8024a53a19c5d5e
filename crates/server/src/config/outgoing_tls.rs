//! Settings of TLS to the servers of recipients.

use std::path::PathBuf;

use inboxd_core::rules::outgoing_tls::{OutgoingTlsPolicy, TlsLevel};

use super::source::{Source, refused};
use crate::failure::Failure;

/// TLS to the servers of recipients with `INBOXD_DELIVERY=direct`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutgoingTlsConfig {
    /// `INBOXD_DIRECT_TLS`.
    pub(crate) policy: OutgoingTlsPolicy,
    /// `INBOXD_DANE`.
    pub(crate) uses_dane: bool,
    /// `INBOXD_DNSSEC_TRUST_ANCHOR`; `None` for the keys of the public root zone.
    pub(crate) trust_anchor: Option<PathBuf>,
}

/// Reads the settings.
pub(super) fn outgoing_tls(source: &Source) -> Result<OutgoingTlsConfig, Failure> {
    const POLICY: &str = "INBOXD_DIRECT_TLS";
    let parse = |text: String| {
        text.parse::<OutgoingTlsPolicy>().map_err(|error| Failure::new(format!("{}: {error}", refused(POLICY))))
    };
    let policy = source.get(POLICY).map(parse).transpose()?.unwrap_or_default();
    let uses_dane = source.switch("INBOXD_DANE")?;
    if policy.has(TlsLevel::DaneOnly) && !uses_dane {
        return Err(Failure::new("INBOXD_DIRECT_TLS with the level dane-only needs INBOXD_DANE=on"));
    }
    let trust_anchor = source.get("INBOXD_DNSSEC_TRUST_ANCHOR").map(Into::into);
    Ok(OutgoingTlsConfig { policy, uses_dane, trust_anchor })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&'static str, &str)]) -> Result<OutgoingTlsConfig, Failure> {
        outgoing_tls(&Source::from(pairs))
    }

    #[test]
    fn dane_is_on_and_no_level_is_set_by_default() -> Result<(), Failure> {
        let expected = OutgoingTlsConfig { policy: OutgoingTlsPolicy::default(), uses_dane: true, trust_anchor: None };
        assert_eq!(with(&[])?, expected);
        Ok(())
    }

    #[test]
    fn bad_policy_is_named_with_its_part() {
        for (pairs, part) in [
            (&[("INBOXD_DIRECT_TLS", "example.org=tls")][..], "\"tls\" is no level"),
            (&[("INBOXD_DIRECT_TLS", "example.org")], "is not destination=level"),
            (&[("INBOXD_DIRECT_TLS", "*=dane-only"), ("INBOXD_DANE", "off")], "needs INBOXD_DANE=on"),
            (&[("INBOXD_DANE", "auto")], "INBOXD_DANE must be on or off"),
        ] {
            let line = with(pairs).err().map(|failure| failure.to_string()).unwrap_or_default();
            assert!(line.starts_with("INBOXD_D") && line.contains(part) && !line.contains('\n'), "{pairs:?}: {line}");
        }
    }
}
