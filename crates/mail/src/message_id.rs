//! Message identifiers (RFC 5322, section 3.6.4).

/// Maximum length of an identifier in bytes, including brackets.
const MAX_MESSAGE_ID_BYTES: usize = 512;

/// Normalizes `left@right` or `<left@right>` to `<left@right>`.
///
/// Returns `None` for an invalid identifier: no `@`, white space, control characters, stray brackets, or more than 512
/// bytes.
#[must_use]
pub fn normalize_message_id(id: &str) -> Option<String> {
    let id = id.trim();
    let inner = match id.strip_prefix('<') {
        Some(rest) => rest.strip_suffix('>')?,
        None => id,
    };
    let (left, right) = inner.split_once('@')?;
    let bad = |c: char| c.is_whitespace() || c.is_control() || c == '<' || c == '>';
    if left.is_empty() || right.is_empty() || inner.contains(bad) || inner.len() + 2 > MAX_MESSAGE_ID_BYTES {
        return None;
    }
    Some(format!("<{inner}>"))
}

/// Returns the valid identifiers of a header value, in order.
///
/// Identifiers have brackets. Some senders omit them all; then white space or commas separate the identifiers.
pub(crate) fn parse_all(value: &str) -> Vec<String> {
    if !value.contains('<') {
        let separators = |c: char| c.is_whitespace() || c == ',';
        return value.split(separators).filter_map(normalize_message_id).collect();
    }
    bracketed(value).collect()
}

/// Returns the first valid identifier in brackets.
pub(crate) fn parse_first(value: &str) -> Option<String> {
    bracketed(value).next()
}

fn bracketed(value: &str) -> impl Iterator<Item = String> {
    value.split('<').skip(1).filter_map(|piece| {
        let (inner, _) = piece.split_once('>')?;
        normalize_message_id(inner)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_normalized_or_rejected() {
        let long = format!("{}@b", "a".repeat(509));
        let fits = format!("{}@b", "a".repeat(508));
        for (given, expected) in [
            ("a@b", Some("<a@b>".to_owned())),
            (" <a@b> ", Some("<a@b>".to_owned())),
            ("<a+/=$b@[1.2.3.4]>", Some("<a+/=$b@[1.2.3.4]>".to_owned())),
            ("<a@b", None),
            ("a@b>", None),
            ("a b@c", None),
            ("a\r\nb@c", None),
            ("a\0@c", None),
            ("@b", None),
            ("a@", None),
            ("ab", None),
            ("", None),
            (long.as_str(), None),
            (fits.as_str(), Some(format!("<{fits}>"))),
        ] {
            assert_eq!(normalize_message_id(given), expected, "{given:?}");
        }
    }

    #[test]
    fn identifier_lists_are_parsed_in_order() {
        assert_eq!(parse_all("<a@b>\t<c@d>,<bad> <e f@g>(note)<h@i>"), ["<a@b>", "<c@d>", "<h@i>"]);
        assert_eq!(parse_all("a@b, c@d"), ["<a@b>", "<c@d>"]);
        assert_eq!(parse_first("(added) <x y@z> <a@b>"), Some("<a@b>".to_owned()));
        assert_eq!(parse_first("a@b"), None);
    }
}
