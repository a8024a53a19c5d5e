//! Attribute values and character references (WHATWG HTML sections 13.1.2.3 and 13.1.4).

use std::borrow::Cow;

use mail_parser::decoders::html::add_html_token;

/// The longest character reference that is looked for.
const MAX_REFERENCE: usize = 34;

/// The value of an attribute, character references replaced.
pub(crate) fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| c.is_ascii_whitespace() || *c == '=' || *c == '/')
            .map_or(rest.len(), |(at, _)| at);
        let (found, after) = rest.split_at_checked(end)?;
        let after = after.trim_start();
        let Some(after) = after.strip_prefix('=') else {
            rest = after;
            continue;
        };
        let after = after.trim_start();
        let (value, after) = match after.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let inner = after.get(1..).unwrap_or_default();
                inner.split_once(quote).unwrap_or((inner, ""))
            }
            _ => after.split_at_checked(after.find(|c: char| c.is_ascii_whitespace()).unwrap_or(after.len()))?,
        };
        if found.eq_ignore_ascii_case(name) {
            return Some(references(value).into_owned());
        }
        rest = after;
    }
}

/// Replaces character references; no-break spaces become plain ones, and NUL goes.
pub(crate) fn references(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '\u{a0}', '\0']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, reference) = rest.split_at(at);
        out.push_str(before);
        let window = reference.as_bytes().get(..MAX_REFERENCE.min(reference.len())).unwrap_or_default();
        let end = memchr::memchr(b';', window).and_then(|end| reference.get(..=end));
        match end {
            Some(whole) if is_reference(whole) => {
                add_html_token(&mut out, whole.as_bytes(), false);
                rest = reference.get(whole.len()..).unwrap_or_default();
            }
            _ => {
                out.push('&');
                rest = reference.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out.replace('\u{a0}', " ").replace('\0', ""))
}

fn is_reference(whole: &str) -> bool {
    let name = whole.trim_start_matches('&').trim_end_matches(';');
    let name = name.strip_prefix('#').unwrap_or(name);
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric())
}
