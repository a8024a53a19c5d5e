//! Check of the external scanner.

use inboxd_core::ports::SuspectMail;
use inboxd_mail::parse;
use tokio::time::Instant;

use super::Finding;
use crate::config::Config;
use crate::scanner::client;
use crate::services::authorities;

const CHECK: &str = "scanner";
/// Message that the scanner gets.
const SAMPLE: &[u8] = b"From: doctor@inboxd.example\r\nSubject: inboxd doctor\r\n\r\nA message without a threat.\r\n";

/// Lets the scanner scan a message; `None` without a scanner. No mail is lost without it.
pub(super) async fn examine(config: &Config) -> Option<Finding> {
    let scanner = config.scanner.as_ref()?;
    let client = match authorities(config).and_then(|authorities| client(scanner, &authorities)) {
        Ok(client) => client,
        Err(failure) => return Some(Finding::fail(CHECK, failure.to_string(), "correct INBOXD_OUTBOUND_CA_FILE")),
    };
    let parsed = parse(SAMPLE);
    let mail = SuspectMail {
        client: None,
        envelope_from: None,
        recipients: &[],
        raw: SAMPLE,
        parsed: &parsed,
        authentication: None,
    };
    let start = Instant::now();
    let limit = scanner.timeout.as_millis();
    Some(match client.scan(&mail, scanner.timeout).await {
        Ok(findings) => {
            let took = start.elapsed().as_millis();
            Finding::ok(CHECK, format!("responds within {took} of {limit} ms; {} findings in a sample", findings.len()))
        }
        Err(error) => Finding::warn(
            CHECK,
            format!("{error}; limit {limit} ms. Mail is received without its findings"),
            "start the scanner, correct INBOXD_SCANNER_URL or INBOXD_SCANNER_TOKEN, or raise INBOXD_SCANNER_TIMEOUT_MS",
        ),
    })
}
