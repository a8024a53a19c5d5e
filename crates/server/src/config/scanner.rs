//! Settings of the external scanner.

use std::time::Duration;

use inboxd_outbound::ScannerUrl;

use super::Secret;
use super::source::{Source, refused};
use super::stripe::word;
use crate::failure::Failure;

/// External scanner of the operator.
#[derive(Debug, Clone)]
pub(crate) struct ScannerConfig {
    /// `INBOXD_SCANNER_URL`.
    pub(crate) url: ScannerUrl,
    /// `INBOXD_SCANNER_TOKEN`.
    pub(crate) token: Option<Secret>,
    /// `INBOXD_SCANNER_TIMEOUT_MS`.
    pub(crate) timeout: Duration,
}

/// Reads the variables; `None` without a URL.
pub(super) fn scanner(source: &Source) -> Result<Option<ScannerConfig>, Failure> {
    let token = source.get("INBOXD_SCANNER_TOKEN").map(|text| word("INBOXD_SCANNER_TOKEN", &text)).transpose()?;
    let timeout = Duration::from_millis(source.number("INBOXD_SCANNER_TIMEOUT_MS")?);
    match (source.optional("INBOXD_SCANNER_URL")?, token) {
        (Some(url), token) => Ok(Some(ScannerConfig { url, token, timeout })),
        (None, None) => Ok(None),
        (None, Some(_)) => {
            let url = refused("INBOXD_SCANNER_URL");
            Err(Failure::new(format!("INBOXD_SCANNER_TOKEN needs a scanner: {url}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&'static str, &str)]) -> Result<Option<ScannerConfig>, Failure> {
        scanner(&Source::from(pairs))
    }

    #[test]
    fn scanner_needs_its_url_only() -> Result<(), Failure> {
        assert!(with(&[])?.is_none());
        let config = with(&[("INBOXD_SCANNER_URL", "http://127.0.0.1:9000/scan")])?;
        let config = config.map(|config| (config.token.is_some(), config.timeout));
        assert_eq!(config, Some((false, Duration::from_secs(1))));
        Ok(())
    }

    #[test]
    fn bad_value_is_named_and_not_shown() {
        let url = ("INBOXD_SCANNER_URL", "http://127.0.0.1:9000");
        for (pairs, name) in [
            (&[("INBOXD_SCANNER_URL", "127.0.0.1:9000")][..], "INBOXD_SCANNER_URL"),
            (&[("INBOXD_SCANNER_URL", "http://me:hush@127.0.0.1")], "INBOXD_SCANNER_URL"),
            (&[url, ("INBOXD_SCANNER_TOKEN", "hush hush")], "INBOXD_SCANNER_TOKEN"),
            (&[("INBOXD_SCANNER_TOKEN", "hush-hush")], "INBOXD_SCANNER_TOKEN"),
            (&[url, ("INBOXD_SCANNER_TIMEOUT_MS", "0")], "INBOXD_SCANNER_TIMEOUT_MS"),
            (&[url, ("INBOXD_SCANNER_TIMEOUT_MS", "1 s")], "INBOXD_SCANNER_TIMEOUT_MS"),
        ] {
            let line = with(pairs).err().map(|failure| failure.to_string()).unwrap_or_default();
            assert!(line.starts_with(name) && !line.contains("hush"), "{pairs:?}: {line:?}");
        }
    }

    #[test]
    fn token_is_not_shown_while_debugging() -> Result<(), Failure> {
        let pairs = [("INBOXD_SCANNER_URL", "http://127.0.0.1:9000"), ("INBOXD_SCANNER_TOKEN", "s3cret-token")];
        let shown = format!("{:?}", with(&pairs)?);
        assert!(shown.contains("9000") && !shown.contains("s3cret"), "{shown}");
        Ok(())
    }
}
