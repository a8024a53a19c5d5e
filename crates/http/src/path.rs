//! Values out of the path: matched on the raw path, decoded once, a `+` stays a plus (`wire.md`, section 1).

use actix_web::HttpRequest;
use inboxd_core::model::{InboxId, MessageId};
use inboxd_mail::EmailAddress;

/// The most characters of an id that names nothing.
const LONGEST: usize = 512;

/// A value of the path; empty only for a name that the route does not have.
pub(crate) fn value(request: &HttpRequest, name: &str) -> String {
    // What the router hands out still has `%25`, `%2F` and `%2B` encoded, and nothing else.
    decode(request.match_info().get(name).unwrap_or_default())
}

fn decode(text: &str) -> String {
    let mut rest = text.as_bytes().iter();
    let mut octets = Vec::with_capacity(text.len());
    while let Some(&octet) = rest.next() {
        let escaped = if octet == b'%' { escape(rest.as_slice()) } else { None };
        if escaped.is_some() {
            rest.nth(1);
        }
        octets.push(escaped.unwrap_or(octet));
    }
    String::from_utf8_lossy(&octets).into_owned()
}

fn escape(rest: &[u8]) -> Option<u8> {
    let digit = |place: usize| rest.get(place).and_then(|octet| char::from(*octet).to_digit(16));
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
    text.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
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
        assert_eq!(message_id(&"x".repeat(10_000)).as_str().len(), LONGEST);
    }
}
