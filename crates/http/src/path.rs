//! Values out of the path: matched on the raw path, decoded once, a `+` stays a plus (`wire.md`, section 1).

use actix_web::HttpRequest;
use inboxd_core::model::{InboxId, MessageId};
use inboxd_mail::EmailAddress;

use crate::router;

/// The most characters of an id that names nothing.
const MAX_ID_CHARS: usize = 512;

/// A value of the path; empty only for a name that the route does not have.
pub(crate) fn value(request: &HttpRequest, name: &str) -> String {
    // What the router hands out still has `%25`, `%2F` and `%2B` encoded, and nothing else.
    decode(request.match_info().get(name).unwrap_or_default())
}

/// The message of the path as a client means it that leaves `%` as it is, where that is another than [`value`] says.
///
/// Clients either encode all of an id, or only what no path may hold. An id of the second kind shows a plain `@`, and
/// what a path may hold stands encoded there only where the id itself holds a `%`.
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

/// Whether a path may hold an octet as it is (RFC 3986, section 3.3), or clients leave it so all the same.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/[]%".contains(&byte)
}

/// Decodes every escaped octet.
pub(crate) fn decode(text: &str) -> String {
    decode_some(text, |_| true)
}

/// Decodes what stands for one of some octets, and leaves the rest as it is.
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

/// The inbox of a text. One that is no address names an inbox that cannot exist.
pub(crate) fn inbox_id(text: &str) -> InboxId {
    match text.parse::<EmailAddress>() {
        Ok(address) => InboxId::of(&address),
        Err(_) => InboxId::stored(harmless(text)),
    }
}

/// The message id of a text, with or without its angle brackets. One that is none names a message that cannot exist.
pub(crate) fn message_id(text: &str) -> MessageId {
    MessageId::parse(text).unwrap_or_else(|| MessageId::stored(harmless(text)))
}

/// An id that is none, as it can be searched for and shown.
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
    fn ids_that_are_none_name_nothing() {
        assert_eq!(inbox_id("Scout@Inboxd.Example").as_str(), "scout@inboxd.example");
        assert_eq!(inbox_id("scout\0").as_str(), "scout");
        assert_eq!(message_id("a@b").as_str(), "<a@b>");
        assert_eq!(message_id("<a@b>").as_str(), "<a@b>");
        assert_eq!(message_id("a\0b").as_str(), "ab");
        assert_eq!(message_id(&"x".repeat(10_000)).as_str().len(), MAX_ID_CHARS);
    }
}
