//! Encoded words in header values (RFC 2047).

use std::borrow::Cow;

use super::{base64, charset, transfer};

/// Maximum length of a charset name in bytes.
const MAX_CHARSET_BYTES: usize = 64;
/// Maximum length of an encoded word in bytes; the standard permits 75.
const MAX_ENCODED_WORD_BYTES: usize = 256;

/// Decodes all encoded words of `text` once; malformed ones remain.
///
/// White space between two words is removed (section 6.2). Neighbours with one charset are joined before decoding,
/// because senders split multi-byte characters.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains("=?") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut pending: Option<EncodedWord<'_>> = None;
    let mut rest = text;
    while let Some(at) = rest.find("=?") {
        let (before, candidate) = rest.split_at(at);
        let Some((word, after)) = EncodedWord::read(candidate) else {
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
    Cow::Owned(out)
}

/// Returns the encoded word at the start of `text` if it ends within the limit and contains no space.
pub(crate) fn at_start(text: &str) -> Option<&str> {
    let start = text.strip_prefix("=?")?;
    let is_inside = |b: &u8| !b.is_ascii_whitespace() && *b != b'"';
    let length = start.bytes().take(MAX_ENCODED_WORD_BYTES).take_while(is_inside).count();
    let word = start.get(..start.floor_char_boundary(length))?;
    let mut marks = word.match_indices('?').map(|(at, _)| at);
    let (charset_end, encoding_end) = (marks.next()?, marks.next()?);
    let is_quoted = matches!(word.get(charset_end..=encoding_end)?, "?Q?" | "?q?" | "?B?" | "?b?");
    let end = marks.find(|at| is_quoted && word.get(at + 1..).is_some_and(|rest| rest.starts_with('=')))?;
    text.get(..end + "=?".len() + "?=".len())
}

fn flush(pending: &mut Option<EncodedWord<'_>>, out: &mut String) {
    if let Some(word) = pending.take() {
        out.push_str(&charset::decode(Some(word.charset), &word.bytes));
    }
}

struct EncodedWord<'a> {
    /// Charset name; empty if the sender named none.
    charset: &'a str,
    bytes: Vec<u8>,
}

impl<'a> EncodedWord<'a> {
    /// Reads `=?charset*language?encoding?data?=` and returns the rest.
    ///
    /// Each search is limited to the consumed text or to the next question mark, so the cost stays linear for hostile
    /// input.
    fn read(text: &'a str) -> Option<(Self, &'a str)> {
        let (charset, rest) = text.get(2..)?.split_once('?')?;
        let charset = charset.split('*').next().unwrap_or_default();
        if charset.len() > MAX_CHARSET_BYTES || charset.contains(char::is_whitespace) {
            return None;
        }
        let (encoding, rest) = rest.split_once('?')?;
        match encoding {
            "B" | "b" => {
                let (data, rest) = base64_data(rest);
                Some((Self { charset, bytes: base64::decode(data.as_bytes()) }, rest))
            }
            "Q" | "q" => {
                let (data, rest) = quoted_data(rest);
                let mut bytes = Vec::with_capacity(data.len());
                // Some programs break the line inside a word, as quoted-printable does in a body.
                transfer::escapes(data.replace("= ", "").replace('_', " ").as_bytes(), &mut bytes);
                Some((Self { charset, bytes }, rest))
            }
            _ => None,
        }
    }
}

/// Splits the data of a base64 word from the rest.
///
/// A question mark ends the data, even that of the next word if the end of this one is missing. Without one, the first
/// other character ends it.
fn base64_data(text: &str) -> (&str, &str) {
    if let Some((data, rest)) = text.split_once('?') {
        return match (rest.strip_prefix('='), data.strip_suffix('=')) {
            (Some(rest), _) => (data, rest),
            (None, Some(unended)) if is_word_start(rest) => split(text, unended.len()),
            (None, _) => (data, rest),
        };
    }
    let is_other = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '='));
    split(text, text.find(is_other).unwrap_or(text.len()))
}

/// Splits the data of a Q word from the rest; some senders leave question marks and spaces unencoded.
fn quoted_data(text: &str) -> (&str, &str) {
    for (at, _) in text.match_indices('?') {
        let (data, rest) = split(text, at);
        let rest = rest.get(1..).unwrap_or_default();
        if let Some(rest) = rest.strip_prefix('=') {
            return (data, rest);
        }
        if let Some(unended) = data.strip_suffix('=')
            && is_word_start(rest)
        {
            return split(text, unended.trim_end().len());
        }
    }
    (text, "")
}

/// Returns true if the text after `=?` continues like an encoded word.
fn is_word_start(text: &str) -> bool {
    let is_in_charset = |b: &u8| b.is_ascii_alphanumeric() || b"-_.:*".contains(b);
    let length = text.bytes().take(MAX_CHARSET_BYTES).take_while(is_in_charset).count();
    matches!(text.as_bytes().get(length..), Some([b'?', b'B' | b'b' | b'Q' | b'q', b'?', ..]))
}

fn split(text: &str, at: usize) -> (&str, &str) {
    text.split_at_checked(at).unwrap_or((text, ""))
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
            // Encoded words as other programs write them.
            ("=?utf-8?Q?How are you??= x", "How are you? x"),
            ("=?utf-8?Q?a=?=", "a="),
            ("=?utf-8?Q?caf=c3=a9?=", "café"),
            ("=?utf-8?Q?caf=E9?=", "café"),
            ("=?utf-8?q?a?==?utf-8?q?b?=c", "abc"),
            ("x=?utf-8?q?a?=y", "xay"),
            ("=?utf-8?B?R3LDvMOfZQ?=", "Grüße"),
            ("=?utf-8?B?R3LD vMOf\tZQ==?=", "Grüße"),
            ("=?utf-8?B?R3LDvMOfZQ==", "Grüße"),
            ("=?utf-8?B?R3LDvMOfZQ== an alle", "Grüße an alle"),
            ("=?utf-8?B?R3LDvMOfZQ==? an alle", "Grüße an alle"),
            ("=?utf-8?B?R3LDvMOf =?utf-8?B?ZQ==?=", "Grüße"),
            ("=?utf-8?Q?Gr=C3=BC=C3=9Fe", "Grüße"),
            ("=?utf-8?Q?Gr=C3=BC =?utf-8?Q?=C3=9Fe?=", "Grüße"),
            ("=?utf-8?Q??= x", " x"),
            ("=??Q?caf=C3=A9?=", "café"),
            ("=?utf-8?Q?caf= =C3=A9?=", "café"),
            ("=?iso-8859-1?Q?café?=", "café"),
            ("=?utf-8?Q?=E4=BD?= =?utf-8?B?oA==?=", "你"),
            ("=?x-unknown?Q?caf=E9?=", "café"),
            ("\"=?utf-8?Q?caf=C3=A9?=\"", "\"café\""),
            ("(=?utf-8?Q?caf=C3=A9?=)", "(café)"),
            ("=?utf-8?B?PT91dGYtOD9RP2E/PQ==?=", "=?utf-8?Q?a?="),
            ("=?iso-2022-jp?B?GyRCJDMkcw==?= =?iso-2022-jp?B?JEsbKEI=?=", "こんに"),
            ("=?ISO-2022-JP?B?GyRCJDMkcxsoQg==?=\t=?iso-2022-jp?B?GyRCJEsbKEI=?=", "こんに"),
            ("=?windows-1251?Q?=CF=F0?=\u{a0}=?koi8-r?Q?=C9?=", "При"),
            ("=?gb2312?B?xOM=?= =?gb2312?Q?=BA=C3?=", "你好"),
            ("1 =? 2 ?=", "1 =? 2 ?="),
        ] {
            assert_eq!(decode(text), expected);
        }
    }
}
