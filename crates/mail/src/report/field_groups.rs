//! Groups of fields in report bodies, separated by empty lines (RFC 3464, section 2.1).

use crate::address::{EmailAddress, parse_address_list};
use crate::wire::lines::line_at;

/// Iterates over the non-empty groups of a body, in order.
pub(super) fn groups(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut start = at;
        while let Some((line, next)) = line_at(body, at) {
            if line.trim_ascii().is_empty() {
                let group = body.get(start..at).unwrap_or_default();
                at = next;
                start = if group.is_empty() { next } else { return Some(group) };
            } else {
                at = next;
            }
        }
        body.get(start..at).filter(|group| !group.is_empty())
    })
}

/// Returns the address of a field such as `rfc822; bob@example.org`.
///
/// The address type is ignored, and other text may surround the address. Letters beyond ASCII may have the form
/// `\x{e9}` (RFC 6533, section 3).
pub(super) fn address(value: &str) -> Option<EmailAddress> {
    let value = value.split_once(';').map_or(value, |(_, address)| address);
    let found = parse_address_list(&unescaped(value), 1).pop()?;
    found.address.parse().ok()
}

fn unescaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, escape)) = rest.split_once("\\x{") {
        out.push_str(before);
        let decoded = escape.split_once('}').and_then(|(digits, after)| {
            let point = u32::from_str_radix(digits, 16).ok()?;
            Some((char::from_u32(point)?, after))
        });
        if let Some((letter, after)) = decoded {
            out.push(letter);
            rest = after;
        } else {
            out.push_str("\\x{");
            rest = escape;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_groups_end_at_empty_lines() {
        let body = b"\r\n \r\nA: b\r\n c\r\n\r\n\nD: e\n\t\nF: g";
        let found: Vec<&[u8]> = groups(body).collect();
        assert_eq!(found, [&b"A: b\r\n c\r\n"[..], b"D: e\n", b"F: g"]);
        assert_eq!(groups(b"").count(), 0);
        assert_eq!(groups(b"\n\n\n").count(), 0);
    }

    #[test]
    fn addresses_are_found_inside_other_text() {
        for (value, expected) in [
            ("rfc822; bob@example.org", Some("bob@example.org")),
            ("RFC822;bob@example.org", Some("bob@example.org")),
            ("rfc822; <bob@example.org>", Some("bob@example.org")),
            ("rfc822; bob@example.org (Bob)", Some("bob@example.org")),
            ("rfc822; \"Bob\" <bob@example.org>", Some("bob@example.org")),
            ("bob@example.org", Some("bob@example.org")),
            ("utf-8; r\\x{e9}my@example.org", Some("rémy@example.org")),
            ("utf-8; rémy@example.org", Some("rémy@example.org")),
            ("rfc822; a\\x{zz}@example.org", None),
            ("x400; /C=DE/S=Bob", None),
            ("rfc822;", None),
            ("", None),
        ] {
            assert_eq!(address(value).as_ref().map(EmailAddress::as_str), expected, "{value}");
        }
    }
}
