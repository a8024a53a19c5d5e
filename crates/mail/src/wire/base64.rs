//! base64 (RFC 2045 section 6.8), read leniently.

/// What stands for an octet that is none of the alphabet.
const OTHER: u8 = 0xff;

/// Decodes octets; those outside the alphabet are skipped. Padding ends a group, so that concatenated encodings are
/// read too; what stands behind the first is left out if it is no base64, since mailing lists write their footers
/// there.
pub(crate) fn decode(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3 + 3);
    let mut group = Group::default();
    let mut is_padded = false;
    let mut rest = bytes;
    while let Some((&octet, behind)) = rest.split_first() {
        if group.held == 0 {
            rest = whole_groups(rest, &mut out);
            if rest.len() <= behind.len() {
                continue;
            }
        }
        match sextet(octet) {
            OTHER if octet == b'=' => {
                group.flush(&mut out);
                if !is_padded && !is_base64(rest) {
                    return out;
                }
                is_padded = true;
            }
            OTHER => {}
            sextet => group.push(sextet, &mut out),
        }
        rest = behind;
    }
    group.flush(&mut out);
    out
}

/// Decodes groups as long as nothing else stands between them, which is most of a mail, and gives what is behind them.
fn whole_groups<'a>(bytes: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let mut rest = bytes;
    while let Some((octets, behind)) = rest.split_first_chunk::<4>() {
        let [a, b, c, d] = octets.map(sextet);
        if (a | b | c | d) & 0xc0 != 0 {
            break;
        }
        out.extend_from_slice(&[a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
        rest = behind;
    }
    rest
}

/// The value of an octet of the alphabet, or of the one for URLs.
const fn sextet(octet: u8) -> u8 {
    match octet {
        b'A'..=b'Z' => octet - b'A',
        b'a'..=b'z' => octet - b'a' + 26,
        b'0'..=b'9' => octet - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => OTHER,
    }
}

/// Whether octets that begin with the padding of a group go on with nothing but whole groups.
fn is_base64(octets: &[u8]) -> bool {
    let is_sign = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'+' | b'/' | b'=');
    let behind = octets.iter().skip_while(|octet| **octet == b'=');
    let signs = behind.clone().filter(|octet| is_sign(octet)).count();
    signs % 4 == 0 && behind.clone().all(|octet| is_sign(octet) || octet.is_ascii_whitespace())
}

/// A group of four that is not yet whole.
#[derive(Default)]
struct Group {
    bits: u32,
    held: usize,
}

impl Group {
    fn push(&mut self, sextet: u8, out: &mut Vec<u8>) {
        self.bits = self.bits << 6 | u32::from(sextet);
        self.held += 1;
        if self.held == 4 {
            self.flush(out);
        }
    }

    /// Writes the whole octets of what was read.
    fn flush(&mut self, out: &mut Vec<u8>) {
        let Self { bits, held } = std::mem::take(self);
        let [_, octets @ ..] = (bits << (6 * (4 - held))).to_be_bytes();
        out.extend(octets.iter().take(held.saturating_sub(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_read_leniently() {
        for (encoded, expected) in [
            ("aGVsbG8=", "hello"),
            ("aGVs\r\nbG8", "hello"),
            ("aGk=aGk=", "hihi"),
            ("a G*V!s", "hel"),
            ("aGk=\r\n____________\r\nList mailing list\r\n", "hi"),
            ("aGk== ignored", "hi"),
            ("aGk=\r\n-- \r\nfooter", "hi"),
            ("aGk=\r\n\r\naGk=\r\n", "hihi"),
            ("a", ""),
            ("", ""),
        ] {
            assert_eq!(String::from_utf8_lossy(&decode(encoded.as_bytes())), expected, "{encoded}");
        }
    }
}
