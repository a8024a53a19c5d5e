//! Properties that hold for any untrusted bytes.
//!
//! Each function passes bytes to one entry point of inboxd and panics if a property fails. The fuzz targets call these
//! functions (`fuzz/`, `just fuzz`). A test calls them with `corpus/`: seeds, and inputs that fuzzers found.

#![expect(clippy::missing_panics_doc, reason = "the purpose of these functions is to panic")]

mod calendar;
mod documents;
mod reading;
mod session;
mod short_inputs;
mod trust;
mod vouching;

use std::net::{IpAddr, Ipv4Addr};

use inboxd_core::ports::SuspectMail;
use inboxd_core::rules::spam;
use inboxd_mail::{
    BounceReport, EmailAddress, attachment_content, find_automatic_field, header_values, parse, read_aggregate_reports,
    read_report, remove_auth_results, with_trace_headers,
};

use inboxd_smtp::direct::is_sts_policy;
use inboxd_smtp::parse_reply_text;

pub use calendar::calendar;
pub use documents::documents;
pub use reading::{html, text};
pub use session::smtp_session;
pub use short_inputs::{calendar_fields, client_document, forwarded, proxy_header, spf, tokens, word_query};
pub use trust::trust;
pub use vouching::{names, records, vouched};

/// An entry point with the name of its corpus.
pub type EntryPoint = (&'static str, fn(&[u8]));

/// All entry points. `vouched`, `names` and `records` belong to the authentication of messages.
pub const ENTRY_POINTS: &[EntryPoint] = &[
    ("mail", mail),
    ("html", html),
    ("text", text),
    ("addresses", addresses),
    ("calendar", calendar),
    ("smtp_session", smtp_session),
    ("spam", spam),
    ("reports", reports),
    ("vouched", vouched),
    ("names", names),
    ("records", records),
    ("replies", replies),
    ("sts_policy", sts_policy),
    ("trust", trust),
    ("documents", documents),
    ("calendar_fields", calendar_fields),
    ("word_query", word_query),
    ("spf", spf),
    ("client_document", client_document),
    ("tokens", tokens),
    ("proxy_header", proxy_header),
    ("forwarded", forwarded),
];

/// Maximum length in bytes of a parsed body (`inboxd_mail`), with space for replacement characters.
const MAX_TEXT_BYTES: usize = 4 * 8 * 1024 * 1024;

/// Parses a message and its attachments, and adds trace fields.
pub fn mail(raw: &[u8]) {
    let parsed = parse(raw);
    for text in [&parsed.text, &parsed.html, &parsed.extracted_text, &parsed.extracted_html].into_iter().flatten() {
        assert!(text.len() <= MAX_TEXT_BYTES && !text.contains('\0'), "bodies are bounded and contain no NUL");
    }
    for part in [&parsed.signature, &parsed.footer].into_iter().flatten() {
        assert!((1..=4096).contains(&part.len()), "signature and footer are bounded and not empty");
    }
    assert!(parsed.preview.as_ref().is_none_or(|preview| !preview.contains('\n')), "preview is one line");
    assert!(parsed.attachments.len() <= 1000, "attachments are bounded");
    for part in &parsed.attachments {
        let content = attachment_content(raw, part.part);
        let size = content.map(|content| content.len() as u64);
        assert_eq!(size, Some(part.size), "attachment size equals its content");
        let is_safe = |name: &String| !name.contains(['/', '\\', '\0', '\r', '\n']);
        assert!(part.filename.as_ref().is_none_or(is_safe), "file name is safe: {:?}", part.filename);
    }
    let kept = remove_auth_results("mx.inboxd.test", raw);
    assert!(kept.len() <= raw.len(), "removal of forged results adds nothing");
    assert!(remove_auth_results("mx.inboxd.test", &kept).len() == kept.len(), "one call removes all forged results");
    let traced = with_trace_headers(&kept, &[("X-Trace", "one"), ("Received", "by mx.inboxd.test")]);
    assert_eq!(header_values(&traced, "x-trace").first().map(String::as_str), Some("one"));
}

/// Verifies that a valid address survives a round trip.
pub fn addresses(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(address) = text.parse::<EmailAddress>() else { return };
    let written = address.to_string();
    assert!(!written.contains(['\r', '\n', '\0']), "address contains no line break");
    assert_eq!(written.parse::<EmailAddress>().ok().as_ref(), Some(&address), "{written}");
}

/// Parses a message as a bounce report and as an aggregate report, and checks its fields for automatic senders.
pub fn reports(raw: &[u8]) {
    match read_report(raw) {
        Some(BounceReport::Delivery(recipients)) => {
            assert!(recipients.len() <= 1000, "recipients are bounded");
            for recipient in recipients {
                assert!(recipient.addresses.len() <= 2, "recipient has at most two addresses");
                let numbers: Vec<&str> = recipient.status.split('.').collect();
                assert!(numbers.len() == 3 && matches!(numbers[0], "2" | "4" | "5"), "{}", recipient.status);
            }
        }
        Some(BounceReport::Feedback(feedback)) => {
            assert!(feedback.recipients.len() <= 1000, "recipients are bounded");
            assert!((1..=64).contains(&feedback.kind.len()), "kind is a word");
        }
        None => {}
    }
    let aggregate = read_aggregate_reports(raw).reports;
    assert!(aggregate.len() <= 10, "domains are bounded");
    for report in aggregate {
        assert!(!report.domain.is_empty() && report.domain.is_ascii(), "domain is a name");
        assert!(!report.reporter.contains(char::is_control), "reporter is one line");
    }
    if let Some(sign) = find_automatic_field(&parse(raw).headers) {
        assert!(!sign.contains(['\r', '\n', '\0']), "automatic field is one line");
    }
}

/// Parses a server reply as the SMTP client does.
pub fn replies(input: &[u8]) {
    let Some(words) = parse_reply_text(input) else { return };
    assert!(words.chars().count() <= 500 && !words.contains(char::is_control), "{words:?}");
}

/// Parses the MTA-STS policy of a domain.
pub fn sts_policy(bytes: &[u8]) {
    let _ = is_sts_policy(&String::from_utf8_lossy(bytes));
}

/// Scores a message with the built-in spam checks.
pub fn spam(raw: &[u8]) {
    let parsed = parse(raw);
    let client: (IpAddr, &str) = (Ipv4Addr::new(192, 0, 2, 1).into(), "mx.example.org");
    let report = spam::evaluate(&SuspectMail {
        client: Some(client),
        envelope_from: None,
        recipients: &[],
        raw,
        parsed: &parsed,
        authentication: None,
    });
    assert!(report.score.is_finite() && report.is_spam == (report.score >= report.threshold));
}
