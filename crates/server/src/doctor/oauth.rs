//! Check that chat clients find this service at its base URL, as OAuth and MCP clients look for it.

use std::net::IpAddr;

use hyper::Uri;
use inboxd_core::rules::oauth::resources;
use inboxd_outbound::{AddressGuard, GuardedFetcher};
use serde_json::Value;

use super::Finding;
use crate::config::{Config, Role};
use crate::services::authorities;

const CHECK: &str = "OAuth";
/// Maximum bytes of a metadata document.
const MAX_METADATA_BYTES: usize = 64 * 1024;

/// Metadata documents: path, the field that names this service, and the end of its value behind the issuer.
const DOCUMENTS: [(&str, &str, &str); 3] = [
    ("/.well-known/oauth-authorization-server", "issuer", ""),
    ("/.well-known/oauth-protected-resource", "resource", ""),
    ("/.well-known/oauth-protected-resource/mcp", "resource", "/mcp"),
];

/// Checks the base URL and fetches the metadata documents through it. Only a process that serves the API has them.
pub(crate) async fn examine(config: &Config) -> Vec<Finding> {
    if !config.roles.contains(&Role::Http) {
        return Vec::new();
    }
    let base_url = config.base_url();
    let Some(issuer) = resources::issuer_of(&base_url) else {
        let found = format!("{base_url} has a path, so chat clients cannot sign in");
        return vec![Finding::warn(
            CHECK,
            found,
            "serve the API at the root of a host name and set INBOXD_BASE_URL to it",
        )];
    };
    let mut findings = Vec::new();
    if !is_secure(&issuer) {
        let found = format!("{issuer} is not https, which chat clients require of every host but this machine");
        findings.push(Finding::warn(
            CHECK,
            found,
            "terminate TLS in front of inboxd and set INBOXD_BASE_URL to https://…",
        ));
    }
    let fetcher = match fetcher(config) {
        Ok(fetcher) => fetcher,
        Err(reason) => {
            findings.push(Finding::fail(CHECK, reason, "correct INBOXD_OUTBOUND_CA_FILE"));
            return findings;
        }
    };
    for (path, field, end) in DOCUMENTS {
        let url = format!("{issuer}{path}");
        match metadata(&fetcher, &url).await {
            Ok(document) => findings.extend(mismatch(&document, &url, field, &format!("{issuer}{end}"))),
            Err(reason) => {
                let mend = "start inboxd serve, let a proxy pass /.well-known/, /oauth/ and /mcp without redirects, and \
                            run this again";
                findings.push(Finding::warn(CHECK, format!("{url} cannot be read: {reason}"), mend));
                return findings;
            }
        }
    }
    if findings.is_empty() {
        findings.push(Finding::ok(CHECK, format!("clients find {issuer}/mcp and its authorization server")));
    }
    findings
}

/// Returns whether clients accept an origin: https, or this machine.
fn is_secure(issuer: &str) -> bool {
    let Ok(uri) = issuer.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_loopback = host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    uri.scheme_str() == Some("https") || host == "localhost" || is_loopback
}

/// Returns a client that reaches any address: the base URL is the operator's own.
fn fetcher(config: &Config) -> Result<GuardedFetcher, String> {
    let authorities = authorities(config).map_err(|failure| failure.to_string())?;
    let fetcher =
        GuardedFetcher::new(AddressGuard::permitting_all(), &authorities).map_err(|error| error.to_string())?;
    Ok(fetcher.without_redirects().requiring_200())
}

async fn metadata(fetcher: &GuardedFetcher, url: &str) -> Result<Value, String> {
    let answer = fetcher.get(url, MAX_METADATA_BYTES).await.map_err(|error| error.to_string())?;
    serde_json::from_slice(&answer.content).map_err(|error| format!("it is not JSON: {error}"))
}

/// Returns the finding for a document that names another service. Clients compare each character.
fn mismatch(document: &Value, url: &str, field: &str, expected: &str) -> Option<Finding> {
    let named = document.get(field).and_then(Value::as_str);
    (named != Some(expected)).then(|| {
        let found = format!("{url} has the {field} {}, not {expected}", named.unwrap_or("of no text"));
        Finding::fail(CHECK, found, "set INBOXD_BASE_URL of the serving process to the address that clients use")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_https_and_this_machine_are_secure() {
        for (issuer, expected) in [
            ("https://mail.example", true),
            ("http://127.0.0.1:8080", true),
            ("http://[::1]:8080", true),
            ("http://localhost", true),
            ("http://mail.example", false),
            ("http://127.0.0.1.example", false),
            ("http://10.0.0.1", false),
        ] {
            assert_eq!(is_secure(issuer), expected, "{issuer}");
        }
    }

    #[test]
    fn document_of_another_service_is_a_failure() {
        let url = "https://mail.example/.well-known/oauth-authorization-server";
        let found = |issuer| mismatch(&json!({"issuer": issuer}), url, "issuer", "https://mail.example");
        assert_eq!(found("https://mail.example"), None);
        for issuer in ["https://mail.example/", "http://mail.example", ""] {
            assert!(found(issuer).is_some_and(|finding| finding.level == super::super::Level::Fail), "{issuer}");
        }
    }
}
