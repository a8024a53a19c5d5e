//! Request to the scanner: the readable part of a message, bounded. It names no recipient and no organization.

use inboxd_core::ports::SuspectMail;
use inboxd_mail::{EmailAddress, HeaderAddress, ParsedAttachment};
use serde::Serialize;

/// Limit of the text and of the HTML, in characters each.
const MAX_TEXT_CHARS: usize = 100_000;
/// Limit of the subject.
const MAX_SUBJECT_CHARS: usize = 1_000;
/// Number of addresses of a field that are sent.
const MAX_ADDRESSES: usize = 10;
/// Number of attachments that are described.
const MAX_ATTACHMENTS: usize = 50;

#[derive(Serialize)]
struct ScannerRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    envelope_from: Option<&'a str>,
    from: Vec<RequestAddress<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reply_to: Vec<RequestAddress<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<&'a str>,
    /// Fields that were cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authentication: Option<RequestChecks>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<RequestAttachment<'a>>,
}

#[derive(Serialize)]
struct RequestAddress<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    address: &'a str,
}

#[derive(Serialize)]
struct RequestChecks {
    spf: &'static str,
    dkim: &'static str,
    dmarc: &'static str,
}

#[derive(Serialize)]
struct RequestAttachment<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    filename: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<&'a str>,
    size: u64,
}

/// Returns the body of the request.
pub(super) fn body(mail: &SuspectMail<'_>) -> Vec<u8> {
    let parsed = mail.parsed;
    let fields = [
        ("subject", parsed.subject.as_deref(), MAX_SUBJECT_CHARS),
        ("text", parsed.text.as_deref(), MAX_TEXT_CHARS),
        ("html", parsed.html.as_deref(), MAX_TEXT_CHARS),
    ];
    let [subject, text, html] = fields.map(|(_, text, limit)| text.map(|text| first_chars(text, limit)));
    let is_cut = |(_, text, limit): &(_, Option<&str>, usize)| {
        text.is_some_and(|text| first_chars(text, *limit).len() < text.len())
    };
    let truncated = fields.into_iter().filter(is_cut).map(|(name, ..)| name).collect();
    let request = ScannerRequest {
        envelope_from: mail.envelope_from.map(EmailAddress::as_str),
        from: addresses(&parsed.from),
        reply_to: addresses(&parsed.reply_to),
        subject,
        text,
        html,
        truncated,
        authentication: mail.authentication.map(|results| RequestChecks {
            spf: results.spf.as_str(),
            dkim: results.dkim.as_str(),
            dmarc: results.dmarc.as_str(),
        }),
        attachments: parsed.attachments.iter().take(MAX_ATTACHMENTS).map(attachment).collect(),
    };
    // All keys are strings, so that this cannot fail.
    serde_json::to_vec(&request).unwrap_or_default()
}

fn addresses(field: &[HeaderAddress]) -> Vec<RequestAddress<'_>> {
    field.iter().take(MAX_ADDRESSES).map(address).collect()
}

fn address(field: &HeaderAddress) -> RequestAddress<'_> {
    RequestAddress { name: field.name.as_deref(), address: &field.address }
}

fn attachment(attachment: &ParsedAttachment) -> RequestAttachment<'_> {
    RequestAttachment {
        filename: attachment.filename.as_deref(),
        content_type: attachment.content_type.as_deref(),
        size: attachment.size,
    }
}

/// Returns the first characters of a text.
fn first_chars(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use inboxd_mail::parse;
    use serde_json::{Value, json};

    use super::*;

    fn request(raw: &str) -> Value {
        let parsed = parse(raw.as_bytes());
        let mail = SuspectMail {
            client: None,
            envelope_from: None,
            recipients: &[],
            raw: raw.as_bytes(),
            parsed: &parsed,
            authentication: None,
        };
        serde_json::from_slice(&body(&mail)).unwrap_or_default()
    }

    #[test]
    fn request_has_the_content_and_no_recipient() {
        let raw = "From: Ann <ann@example.org>\r\nTo: scout@inboxd.example\r\nReply-To: eve@example.net\r\n\
                   Subject: hello\r\n\r\nHi.\r\n";
        let expected = json!({
            "from": [{"name": "Ann", "address": "ann@example.org"}],
            "reply_to": [{"address": "eve@example.net"}],
            "subject": "hello",
            "text": "Hi.",
        });
        assert_eq!(request(raw), expected);
    }

    #[test]
    fn long_fields_are_cut_and_named() {
        let long = "ä".repeat(MAX_TEXT_CHARS);
        let head = "From: ann@example.org\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n";
        assert_eq!(request(&format!("{head}{long}")).get("truncated"), None);
        let cut = request(&format!("{head}{long}ä"));
        assert_eq!(
            (cut["text"].as_str().map(|text| text.chars().count()), &cut["truncated"]),
            (Some(MAX_TEXT_CHARS), &json!(["text"]))
        );
    }
}
