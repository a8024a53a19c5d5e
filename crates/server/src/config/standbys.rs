//! Settings of standbys that serve reads.

use std::time::Duration;

use super::Secret;
use super::source::{Source, refused};
use crate::failure::Failure;

const URL: &str = "INBOXD_DATABASE_READ_URL";

/// Standbys that serve reads.
#[derive(Debug, Clone)]
pub(crate) struct StandbyConfig {
    /// `INBOXD_DATABASE_READ_URL`.
    pub(crate) url: Secret,
    /// `INBOXD_DATABASE_READ_MAX_LAG`: maximum staleness of a read.
    pub(crate) max_lag: Duration,
}

/// Reads the settings; `None` without a URL.
pub(super) fn standbys(source: &Source) -> Result<Option<StandbyConfig>, Failure> {
    let max_lag = Duration::from_secs(source.number("INBOXD_DATABASE_READ_MAX_LAG")?);
    let Some(url) = source.get(URL) else { return Ok(None) };
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(refused(URL));
    }
    if source.get("INBOXD_DATABASE_URL").is_none() {
        return Err(Failure::new(format!("{URL} needs INBOXD_DATABASE_URL, the primary of these standbys")));
    }
    Ok(Some(StandbyConfig { url: Secret::new(url), max_lag }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&'static str, &str)]) -> Result<Option<StandbyConfig>, Failure> {
        standbys(&Source::from(pairs))
    }

    #[test]
    fn standbys_need_their_primary_and_a_bound() -> Result<(), Failure> {
        let primary = ("INBOXD_DATABASE_URL", "postgres://u@a/d");
        let url = (URL, "postgres://u:hush@b,c/d");
        assert!(with(&[primary])?.is_none());
        let found = with(&[primary, url])?.map(|found| (found.url.reveal().to_owned(), found.max_lag));
        assert_eq!(found, Some(("postgres://u:hush@b,c/d".to_owned(), Duration::from_secs(10))));
        for (pairs, name) in [
            (&[url][..], "INBOXD_DATABASE_URL"),
            (&[primary, (URL, "mysql://u:hush@b/d")], URL),
            (&[primary, url, ("INBOXD_DATABASE_READ_MAX_LAG", "10s")], "INBOXD_DATABASE_READ_MAX_LAG"),
        ] {
            let line = with(pairs).err().map(|failure| failure.to_string()).unwrap_or_default();
            assert!(line.contains(name) && !line.contains("hush"), "{pairs:?}: {line:?}");
        }
        Ok(())
    }
}
