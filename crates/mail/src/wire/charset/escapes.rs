//! Seven-bit charsets with tables of two bytes a character: ISO 2022 and HZ.
//!
//! Each table has an eight-bit charset with the same characters. Its decoder receives the bytes with the top bit set.

use encoding_rs::{EUC_JP, EUC_KR, Encoding, GBK};

const ESCAPE: u8 = 0x1b;
const SHIFT_OUT: u8 = 0x0e;
const SHIFT_IN: u8 = 0x0f;

/// Character table of a byte sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EscapeTable {
    /// ASCII and the Roman set of JIS X 0201, whose yen and overline stand for backslash and tilde in practice.
    Ascii,
    /// Half-width Katakana of JIS X 0201.
    Katakana,
    /// JIS X 0208.
    Jis,
    /// JIS X 0212.
    JisSupplement,
    /// KS C 5601.
    Korean,
    /// GB 2312.
    Chinese,
}

impl EscapeTable {
    fn eight_bit_encoding(self) -> &'static Encoding {
        match self {
            Self::Korean => EUC_KR,
            Self::Chinese => GBK,
            _ => EUC_JP,
        }
    }
}

/// Returns true if seven-bit text contains an escape sequence for a two-byte table.
pub(super) fn has_escapes(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\x1b$").is_some()
}

/// Decodes ISO-2022-JP with its supplements, ISO-2022-KR and ISO-2022-CN.
///
/// A line end resets the table. Bytes with the top bit outside all tables are half-width Katakana, as some Japanese
/// programs send them.
pub(super) fn decode_iso_2022(bytes: &[u8]) -> String {
    let mut out = DecoderRuns::default();
    let mut table = EscapeTable::Ascii;
    // Table that a shift-out selects.
    let mut shifted = EscapeTable::Katakana;
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            ESCAPE => match selection(rest) {
                Some((length, selected, is_for_shift)) => {
                    rest = rest.get(length..).unwrap_or_default();
                    *(if is_for_shift { &mut shifted } else { &mut table }) = selected;
                }
                None => out.push(EscapeTable::Ascii, &[byte]),
            },
            SHIFT_OUT => table = shifted,
            SHIFT_IN => table = EscapeTable::Ascii,
            b'\n' | b'\r' => {
                table = EscapeTable::Ascii;
                out.push(table, &[byte]);
            }
            0x21..=0x7e if table != EscapeTable::Ascii => out.push(table, &[byte | 0x80]),
            0xa1..=0xdf if table == EscapeTable::Ascii => out.push(EscapeTable::Katakana, &[byte]),
            _ => out.push(table, &[byte]),
        }
    }
    out.finish()
}

/// Reads the escape sequence after its first byte: length, selected table, and true if only a shift-out selects it.
fn selection(rest: &[u8]) -> Option<(usize, EscapeTable, bool)> {
    Some(match rest {
        [b'(', b'B' | b'J' | b'H', ..] => (2, EscapeTable::Ascii, false),
        [b'(', b'I', ..] => (2, EscapeTable::Katakana, false),
        [b'$', b'@' | b'B', ..] => (2, EscapeTable::Jis, false),
        [b'$', b'A', ..] => (2, EscapeTable::Chinese, false),
        // The last two select JIS X 0213, with most characters in the positions of the older table.
        [b'$', b'(', b'@' | b'B' | b'O' | b'Q', ..] => (3, EscapeTable::Jis, false),
        [b'$', b'(', b'D', ..] => (3, EscapeTable::JisSupplement, false),
        [b'$', b'(', b'C', ..] => (3, EscapeTable::Korean, false),
        [b'$', b')', b'A', ..] => (3, EscapeTable::Chinese, true),
        [b'$', b')', b'C', ..] => (3, EscapeTable::Korean, true),
        _ => return None,
    })
}

/// Decodes HZ: `~{` opens GB 2312, `~}` and a line end close it, `~~` is a tilde, and a tilde before a line end
/// vanishes.
pub(super) fn decode_hz(bytes: &[u8]) -> String {
    let mut out = DecoderRuns::default();
    let mut table = EscapeTable::Ascii;
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.first()) {
            // Both bytes are read together, since the second may be a tilde.
            (0x21..=0x7d, Some(second @ 0x21..=0x7e)) if table == EscapeTable::Chinese => {
                out.push(table, &[byte | 0x80, second | 0x80]);
                rest = after.get(1..).unwrap_or_default();
            }
            (b'~', Some(sign @ (b'{' | b'}' | b'~' | b'\n'))) => {
                rest = after.get(1..).unwrap_or_default();
                match sign {
                    b'{' => table = EscapeTable::Chinese,
                    b'~' => out.push(EscapeTable::Ascii, b"~"),
                    _ => table = EscapeTable::Ascii,
                }
            }
            (b'\n', _) => {
                table = EscapeTable::Ascii;
                out.push(table, &[byte]);
            }
            _ => out.push(table, &[byte]),
        }
    }
    out.finish()
}

/// Bytes collected for the decoder of their table.
#[derive(Default)]
struct DecoderRuns {
    text: String,
    /// Undecoded bytes, all for one decoder.
    pending: Vec<u8>,
    eight_bit_encoding: Option<&'static Encoding>,
    /// True if the next byte of the supplement starts a character, which the eight-bit charset marks.
    in_character: bool,
}

impl DecoderRuns {
    fn push(&mut self, table: EscapeTable, bytes: &[u8]) {
        let eight_bit_encoding = table.eight_bit_encoding();
        if self.eight_bit_encoding != Some(eight_bit_encoding) {
            self.flush();
            self.eight_bit_encoding = Some(eight_bit_encoding);
        }
        match table {
            EscapeTable::Katakana if bytes.iter().all(|byte| *byte >= 0xa1) => self.pending.push(0x8e),
            EscapeTable::JisSupplement => {
                self.in_character = !self.in_character;
                if self.in_character {
                    self.pending.push(0x8f);
                }
            }
            _ => self.in_character = false,
        }
        self.pending.extend_from_slice(bytes);
    }

    fn flush(&mut self) {
        if let Some(eight_bit_encoding) = self.eight_bit_encoding {
            self.text.push_str(&eight_bit_encoding.decode_without_bom_handling(&self.pending).0);
        }
        self.pending.clear();
    }

    fn finish(mut self) -> String {
        self.flush();
        self.text
    }
}
