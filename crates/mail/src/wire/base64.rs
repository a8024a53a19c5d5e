//! Lenient base64 decoder (RFC 2045, section 6.8).

use super::lines::line_at;

/// Value for bytes outside the alphabet.
const OTHER: u8 = 0xff;

/// Decodes bytes and skips those outside the alphabet.
///
/// Padding ends a group, so concatenated encodings are readable. After padding, decoding stops at the first line that
/// is not base64, because mailing lists append footers there.
pub(crate) fn decode(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3 + 3);
    let mut group = SextetGroup::default();
    let mut is_padded = false;
    let mut rest = bytes;
    while let Some((&byte, behind)) = rest.split_first() {
        if group.held == 0 {
            rest = whole_groups(rest, &mut out);
            if rest.len() <= behind.len() {
                continue;
            }
        }
        match sextet(byte) {
            OTHER if byte == b'=' => {
                group.flush(&mut out);
                rest = if is_padded { behind } else { without_footer(behind) };
                is_padded = true;
                continue;
            }
            OTHER => {}
            sextet => group.push(sextet, &mut out),
        }
        rest = behind;
    }
    group.flush(&mut out);
    out
}

/// Decodes adjacent complete groups, the bulk of a message, and returns the rest.
fn whole_groups<'a>(bytes: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let mut rest = bytes;
    while let Some((bytes, behind)) = rest.split_first_chunk::<4>() {
        let [a, b, c, d] = bytes.map(sextet);
        if (a | b | c | d) & 0xc0 != 0 {
            break;
        }
        out.extend_from_slice(&[a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
        rest = behind;
    }
    rest
}

/// Returns the value of a byte of the standard or URL alphabet.
const fn sextet(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => OTHER,
    }
}

/// Returns the input after padding, up to the first line that is not base64.
fn without_footer(bytes: &[u8]) -> &[u8] {
    let mut at = 0;
    while let Some((_, next)) = line_at(bytes, at).filter(|(line, _)| is_base64(line)) {
        at = next;
    }
    bytes.get(..at).unwrap_or_default()
}

/// Returns true if a line, which may start with padding, is encoded data rather than words, a rule or a boundary.
///
/// Invalid bytes are acceptable if padding ends a complete group. Several words count if each has complete groups,
/// which natural text seldom has.
fn is_base64(line: &[u8]) -> bool {
    let padding = line.iter().take_while(|byte| **byte == b'=').count();
    let line = line.get(padding..).unwrap_or_default().trim_ascii_end();
    if line.starts_with(b"--") || !line.iter().any(u8::is_ascii_alphanumeric) {
        return line.is_empty();
    }
    let is_sign = |byte: &u8| *byte == b'=' || sextet(*byte) != OTHER;
    let is_whole = |word: &[u8]| word.iter().filter(|byte| is_sign(byte)).count() % 4 == 0;
    let mut words = line.split(u8::is_ascii_whitespace);
    line.iter().all(is_sign) || words.all(|word| is_whole(word) && (word.iter().all(is_sign) || word.ends_with(b"=")))
}

/// An incomplete group of four.
#[derive(Default)]
struct SextetGroup {
    bits: u32,
    held: usize,
}

impl SextetGroup {
    fn push(&mut self, sextet: u8, out: &mut Vec<u8>) {
        self.bits = self.bits << 6 | u32::from(sextet);
        self.held += 1;
        if self.held == 4 {
            self.flush(out);
        }
    }

    /// Writes the complete bytes of the group.
    fn flush(&mut self, out: &mut Vec<u8>) {
        let Self { bits, held } = std::mem::take(self);
        let [_, bytes @ ..] = (bits << (6 * (4 - held))).to_be_bytes();
        out.extend(bytes.iter().take(held.saturating_sub(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_leniently() {
        for (encoded, expected) in [
            ("aGVsbG8=", "hello"),
            ("aGVs\r\nbG8", "hello"),
            ("aGk=aGk=", "hihi"),
            ("a G*V!s", "hel"),
            ("aGk=\r\n____________\r\nList mailing list\r\n", "hi"),
            ("aGk== ignored", "hi"),
            ("aGk=\r\n-- \r\nfooter", "hi"),
            ("aGk=\r\n\r\naGk=\r\n", "hihi"),
            ("aGk=\r\naGk=\r\naGk\r\n", "hihihi"),
            ("aGk=\r\na*Gk=", "hihi"),
            ("aGk= aGk=", "hihi"),
            ("aGk=\r\naGk=\r\n____\r\nList mailing list\r\naGk=", "hihi"),
            ("aGk=\r\nPz8_\r\nPj4-\r\n", "hi???>>>"),
            ("aGk=\r\n--boundary--\r\n", "hi"),
            ("aGk=\r\nhttps://lists.example/info\r\n", "hi"),
            ("aGk=\r\nYou are on our list.\r\n", "hi"),
            ("a", ""),
            ("", ""),
        ] {
            assert_eq!(String::from_utf8_lossy(&decode(encoded.as_bytes())), expected, "{encoded}");
        }
    }
}
