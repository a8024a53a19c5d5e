//! Base URL of a server.

use std::fmt;
use std::net::IpAddr;

use http::Uri;

use crate::failure::CommandFailure;

/// Base URL without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseUrl {
    text: String,
    scheme: String,
    host: String,
    port: u16,
}

impl BaseUrl {
    /// Parses a URL.
    pub(crate) fn parse(text: &str) -> Result<Self, CommandFailure> {
        let unusable = || {
            CommandFailure::usage(format!("{text:?} is no URL of a server"))
                .fix("name it as in `--url https://inboxd.example`, without user, query and fragment")
        };
        let trimmed = text.trim().trim_end_matches('/');
        let uri: Uri = trimmed.parse().map_err(|_| unusable())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else { return Err(unusable()) };
        let usual = match scheme {
            "https" => 443,
            "http" => 80,
            _ => return Err(unusable()),
        };
        if authority.as_str().contains('@') || trimmed.contains(['?', '#']) {
            return Err(unusable());
        }
        Ok(Self {
            text: trimmed.to_owned(),
            scheme: scheme.to_owned(),
            host: authority.host().to_ascii_lowercase(),
            port: authority.port_u16().unwrap_or(usual),
        })
    }

    /// Returns whether both are the same server: scheme, host and port.
    pub(crate) fn is_same_origin(&self, other: &Self) -> bool {
        (&self.scheme, &self.host, self.port) == (&other.scheme, &other.host, other.port)
    }

    /// Returns whether keys and mail would cross a network unencrypted.
    pub(crate) fn is_exposed(&self) -> bool {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let is_loopback = host
            .parse::<IpAddr>()
            .map_or_else(|_| host == "localhost" || host.ends_with(".localhost"), |address| address.is_loopback());
        self.scheme == "http" && !is_loopback
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

    use super::*;

    #[test]
    fn origins_are_compared_by_scheme_host_and_port() {
        let url = |text| BaseUrl::parse(text).unwrap();
        assert!(url("https://Mail.example/").is_same_origin(&url("https://mail.example:443/prefix")));
        assert!(!url("https://mail.example").is_same_origin(&url("http://mail.example")));
        assert!(!url("http://mail.example").is_same_origin(&url("http://mail.example:8080")));
    }

    #[test]
    fn unencrypted_networks_are_exposed() {
        for (text, expected) in [
            ("http://127.0.0.1:8080", false),
            ("http://[::1]:8080", false),
            ("http://localhost", false),
            ("https://mail.example", false),
            ("http://mail.example", true),
            ("http://192.0.2.1", true),
        ] {
            assert_eq!(BaseUrl::parse(text).unwrap().is_exposed(), expected, "{text}");
        }
    }

    #[test]
    fn unusable_urls_are_refused() {
        for text in ["", "mail.example", "ftp://mail.example", "http://", "http://u:p@mail.example", "http://a?b=c"] {
            assert!(BaseUrl::parse(text).is_err(), "{text}");
        }
    }
}
