//! Encoded words in header values (RFC 2047).

use super::{charset, transfer};

/// The most octets of a charset's name.
const MAX_CHARSET: usize = 64;

/// Decodes every encoded word of `text`; what only looks like one stays as it stands.
///
/// White space between two words goes (section 6.2), and neighbours of one charset are joined before they are decoded,
/// since senders cut characters of several octets in two.
pub(crate) fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pending: Option<Word<'_>> = None;
    let mut rest = text;
    while let Some(at) = rest.find("=?") {
        let (before, candidate) = rest.split_at(at);
        let Some((word, after)) = Word::read(candidate) else {
            flush(&mut pending, &mut out);
            out.push_str(before);
            out.push_str("=?");
            rest = candidate.get(2..).unwrap_or_default();
            continue;
        };
        rest = after;
        if before.trim().is_empty()
            && let Some(held) = &mut pending
        {
            if held.charset.eq_ignore_ascii_case(word.charset) {
                held.bytes.extend_from_slice(&word.bytes);
                continue;
            }
            flush(&mut pending, &mut out);
        } else {
            flush(&mut pending, &mut out);
            out.push_str(before);
        }
        pending = Some(word);
    }
    flush(&mut pending, &mut out);
    out.push_str(rest);
    out
}

fn flush(pending: &mut Option<Word<'_>>, out: &mut String) {
    if let Some(word) = pending.take() {
        out.push_str(&charset::decode(Some(word.charset), &word.bytes));
    }
}

struct Word<'a> {
    charset: &'a str,
    bytes: Vec<u8>,
}

impl<'a> Word<'a> {
    /// Reads `=?charset*language?encoding?data?=` and gives what stands behind it. Neither part can hold a question
    /// mark, so each search ends at the next one and a hostile value costs no more than an honest one.
    fn read(text: &'a str) -> Option<(Self, &'a str)> {
        let (charset, rest) = text.get(2..)?.split_once('?')?;
        let charset = charset.split('*').next().unwrap_or_default();
        if charset.is_empty() || charset.len() > MAX_CHARSET || charset.contains(char::is_whitespace) {
            return None;
        }
        let (encoding, rest) = rest.split_once('?')?;
        let (data, rest) = rest.split_once('?')?;
        let rest = rest.strip_prefix('=')?;
        let bytes = match encoding {
            "B" | "b" => transfer::base64(data.as_bytes()),
            "Q" | "q" => {
                let mut bytes = Vec::with_capacity(data.len());
                transfer::escapes(data.replace('_', " ").as_bytes(), &mut bytes);
                bytes
            }
            _ => return None,
        };
        Some((Self { charset, bytes }, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_words_are_decoded() {
        for (text, expected) in [
            ("plain", "plain"),
            ("=?utf-8?Q?caf=C3=A9_x?=", "café x"),
            ("=?UTF-8?b?Y2Fmw6k=?= tail", "café tail"),
            ("a =?utf-8?q?b?= =?utf-8?q?c?= d", "a bc d"),
            ("=?utf-8?q?=C3?=\t=?utf-8?q?=A9?=", "é"),
            ("=?utf-8?q?a?= =?iso-8859-1?q?=E9?=", "aé"),
            ("=?iso-8859-1*en?q?=E9?=", "é"),
            ("=?utf-8?x?abc?=", "=?utf-8?x?abc?="),
            ("=?broken", "=?broken"),
            ("1 =? 2 ?=", "1 =? 2 ?="),
        ] {
            assert_eq!(decode(text), expected);
        }
    }
}
