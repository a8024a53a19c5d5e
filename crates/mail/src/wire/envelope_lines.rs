//! Normalization of lines above the header: mbox envelope lines and white space.

use std::borrow::Cow;

use super::fields::field_name;
use super::lines::line_at;

/// Field that replaces an envelope line, as in other servers.
const MAILBOX_LINE: &[u8] = b"X-Mailbox-Line: ";

/// Returns the message in a form with the same fields when trace fields precede it.
///
/// An envelope line of an mbox file (`From …`) becomes the field `X-Mailbox-Line`; blank lines before the header are
/// removed. A message without a header that begins with white space gets an empty line first, so that it continues no
/// field.
#[must_use]
pub fn normalize_envelope_lines(raw: &[u8]) -> Cow<'_, [u8]> {
    let mut envelope_lines = Vec::new();
    let mut at = 0;
    loop {
        let start = at + raw.get(at..).unwrap_or_default().iter().take_while(|byte| is_white(**byte)).count();
        match line_at(raw, start) {
            Some((line, next)) if is_envelope_line(line) => {
                envelope_lines.push(without_mark(line));
                at = next;
            }
            Some((line, _)) if field_name(line).is_some() => {
                at = start;
                break;
            }
            _ => break,
        }
    }
    let rest = raw.get(at..).unwrap_or_default();
    let needs_separator = matches!(rest.first(), Some(b' ' | b'\t'));
    if at == 0 && !needs_separator {
        return Cow::Borrowed(raw);
    }
    let mut normalized = Vec::with_capacity(raw.len() + envelope_lines.len() * (MAILBOX_LINE.len() + 2) + 2);
    for line in envelope_lines {
        normalized.extend_from_slice(MAILBOX_LINE);
        normalized.extend_from_slice(line);
        normalized.extend_from_slice(b"\r\n");
    }
    if needs_separator {
        normalized.extend_from_slice(b"\r\n");
    }
    normalized.extend_from_slice(rest);
    Cow::Owned(normalized)
}

fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_envelope_line(line: &[u8]) -> bool {
    let line = without_mark(line);
    line.strip_prefix(b">").unwrap_or(line).starts_with(b"From ")
}

/// Strips a byte order mark.
fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_above_header_become_fields_or_are_removed() {
        for (raw, expected) in [
            (
                "From a@b Mon Nov 23\r\nSubject: s\r\n\r\nx",
                "X-Mailbox-Line: From a@b Mon Nov 23\r\nSubject: s\r\n\r\nx",
            ),
            (">From a@b\nSubject: s\n\nx", "X-Mailbox-Line: >From a@b\r\nSubject: s\n\nx"),
            ("\u{feff}From a\r\n\r\nTo: b\r\n\r\n", "X-Mailbox-Line: From a\r\nTo: b\r\n\r\n"),
            ("From a\r\nFrom b\r\nTo: b\r\n", "X-Mailbox-Line: From a\r\nX-Mailbox-Line: From b\r\nTo: b\r\n"),
            ("From a\r\nhello\r\n", "X-Mailbox-Line: From a\r\nhello\r\n"),
            ("From a\r\n\r\nhello\r\n", "X-Mailbox-Line: From a\r\n\r\nhello\r\n"),
            ("From a\r\n hello\r\n", "X-Mailbox-Line: From a\r\n\r\n hello\r\n"),
            ("From a", "X-Mailbox-Line: From a\r\n"),
            ("\r\n \t\r\nSubject: s\r\n\r\nx", "Subject: s\r\n\r\nx"),
            (" Subject: s\r\n\r\nx", "Subject: s\r\n\r\nx"),
            (" hello\r\n", "\r\n hello\r\n"),
        ] {
            assert_eq!(String::from_utf8_lossy(&normalize_envelope_lines(raw.as_bytes())), expected, "{raw:?}");
        }
    }

    #[test]
    fn message_with_field_or_text_at_start_is_not_copied() {
        for raw in [
            "",
            "Subject: s\r\n\r\n From a\r\n",
            "hello\r\nFrom a\r\n",
            "\r\nhello",
            "\u{feff}Subject: s\r\n",
            "Fromage\r\n",
        ] {
            assert!(
                matches!(normalize_envelope_lines(raw.as_bytes()), Cow::Borrowed(same) if same == raw.as_bytes()),
                "{raw:?}"
            );
        }
    }
}
