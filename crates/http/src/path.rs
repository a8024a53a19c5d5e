//! Path values: matched on the raw path and decoded once; `+` remains a plus (`wire.md`, section 1).

use actix_web::HttpRequest;
use inboxd_core::model::{InboxId, MessageId};
use inboxd_mail::EmailAddress;

use crate::router;

/// Maximum number of characters of an invalid id.
const MAX_ID_CHARS: usize = 512;

/// Returns a decoded path value; empty if the route lacks the name.
pub(crate) fn value(request: &HttpRequest, name: &str) -> String {
    // The values of the router still have `%25`, `%2F` and `%2B` encoded, and nothing else.
    decode(request.match_info().get(name).unwrap_or_default())
}

/// Returns the message id of the path as sent by clients that do not encode `%`, if it differs from [`value`].
///
/// Clients encode either all special characters of an id, or only those that a path cannot contain. An id of the second
/// kind has a plain `@`. An encoded character that needs no encoding is then part of an id with a literal `%`.
pub(crate) fn literal_message_id(request: &HttpRequest) -> Option<MessageId> {
    if !request.uri().path().contains('%') {
        return None;
    }
    let (before, behind) = router::path_of(request)?.split_once("{message_id}")?;
    let mut raw = request.uri().path();
    for _ in before.matches('/') {
        raw = raw.split_once('/')?.1;
    }
    for _ in behind.matches('/') {
        raw = raw.rsplit_once('/')?.0;
    }
    let literal = decode_some(raw, |byte| !is_plain(byte));
    (raw.contains('@') && literal != decode(raw)).then(|| message_id(&literal))
}

/// Returns whether a byte needs no encoding in a path (RFC 3986, section 3.3), or clients send it unencoded
/// nevertheless.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/[]%".contains(&byte)
}

/// Decodes every escaped byte.
pub(crate) fn decode(text: &str) -> String {
    decode_some(text, |_| true)
}

/// Decodes the escapes of selected bytes and keeps all other escapes.
fn decode_some(text: &str, is_meant: impl Fn(u8) -> bool) -> String {
    let mut rest = text.as_bytes().iter();
    let mut bytes = Vec::with_capacity(text.len());
    while let Some(&byte) = rest.next() {
        let escaped = if byte == b'%' { escape(rest.as_slice()).filter(|byte| is_meant(*byte)) } else { None };
        if escaped.is_some() {
            rest.nth(1);
        }
        bytes.push(escaped.unwrap_or(byte));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn escape(rest: &[u8]) -> Option<u8> {
    let digit = |place: usize| rest.get(place).and_then(|byte| char::from(*byte).to_digit(16));
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

/// Parses an inbox id. A text that is no address yields the id of an inbox that cannot exist.
pub(crate) fn inbox_id(text: &str) -> InboxId {
    match text.parse::<EmailAddress>() {
        Ok(address) => InboxId::of(&address),
        Err(_) => InboxId::stored(harmless(text)),
    }
}

/// Parses a message id, with or without angle brackets. An invalid one yields the id of a message that cannot exist.
pub(crate) fn message_id(text: &str) -> MessageId {
    MessageId::parse(text).unwrap_or_else(|| MessageId::stored(harmless(text)))
}

/// Returns an invalid id in a form that is safe to query and to show: bounded and without control characters.
pub(crate) fn harmless(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_ID_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_once() {
        for (given, expected) in [
            ("a%2Fb", "a/b"),
            ("a+b", "a+b"),
            ("a%2Bb", "a+b"),
            ("a%252Fb", "a%2Fb"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz", "%zz"),
            ("", ""),
        ] {
            assert_eq!(decode(given), expected, "{given}");
        }
    }

    #[test]
    fn invalid_ids_match_no_resource() {
        assert_eq!(inbox_id("Scout@Inboxd.Example").as_str(), "scout@inboxd.example");
        assert_eq!(inbox_id("scout\0").as_str(), "scout");
        assert_eq!(message_id("a@b").as_str(), "<a@b>");
        assert_eq!(message_id("<a@b>").as_str(), "<a@b>");
        assert_eq!(message_id("a\0b").as_str(), "ab");
        assert_eq!(message_id(&"x".repeat(10_000)).as_str().len(), MAX_ID_CHARS);
    }
}
