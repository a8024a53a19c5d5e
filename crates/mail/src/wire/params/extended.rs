//! Parameter values with charsets and sections (RFC 2231), and their common substitutes.

use crate::wire::{charset, encoded_words, transfer};

/// One section of a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueSection<'a> {
    pub(super) value: &'a str,
    /// True if the name ends in `*`, which marks percent encoding.
    pub(super) is_encoded: bool,
}

/// Joins sections, of which the first may name a charset: `utf-8'en'caf%C3%A9`. Encoded words, invalid here, are
/// decoded too.
pub(super) fn join(sections: &[ValueSection<'_>]) -> String {
    let mut named = None;
    let mut bytes = Vec::new();
    for (at, section) in sections.iter().enumerate() {
        if !section.is_encoded {
            bytes.extend_from_slice(section.value.as_bytes());
            continue;
        }
        let data = match with_charset(section.value) {
            Some((charset, data)) if at == 0 => {
                named = Some(charset);
                data
            }
            _ => section.value,
        };
        percent_escapes(data.as_bytes(), &mut bytes);
    }
    let text = charset::decode(named, &bytes);
    if named.is_none() { encoded_words::decode(&text).into_owned() } else { text }
}

/// Decodes a value without an encoding mark.
///
/// It may still contain encoded words, `utf-8''caf%C3%A9`, or percent signs alone. These count as escapes only if they
/// form UTF-8 beyond ASCII.
pub(super) fn simple(value: &str) -> String {
    if value.contains("=?") {
        return encoded_words::decode(value).into_owned();
    }
    let named = with_charset(value).filter(|(charset, data)| !charset.is_empty() && data.contains('%'));
    if named.is_some() {
        return join(&[ValueSection { value, is_encoded: true }]);
    }
    let mut bytes = Vec::new();
    percent_escapes(value.as_bytes(), &mut bytes);
    if value.is_ascii() && !bytes.is_ascii() { String::from_utf8(bytes).ok() } else { None }
        .unwrap_or_else(|| value.to_owned())
}

/// Splits `charset'language'data` if the charset is known; apostrophes may also be plain text.
fn with_charset(value: &str) -> Option<(&str, &str)> {
    let (charset, rest) = value.split_once('\'')?;
    let (_, data) = rest.split_once('\'')?;
    (charset.is_empty() || charset::is_known(charset)).then_some((charset, data))
}

fn percent_escapes(mut data: &[u8], out: &mut Vec<u8>) {
    while let Some((&first, rest)) = data.split_first() {
        let escape = match rest {
            [high, low, ..] if first == b'%' => transfer::hex(*high).zip(transfer::hex(*low)),
            _ => None,
        };
        if let Some((high, low)) = escape {
            out.push(high << 4 | low);
            data = rest.get(2..).unwrap_or_default();
        } else {
            out.push(first);
            data = rest;
        }
    }
}
