//! RTF 1.9: words of the body, without fonts, styles, pictures and hidden text.

use encoding_rs::{Encoding, WINDOWS_1252};

use crate::output::TextOutput;
use crate::text::code_page;

/// Maximum depth of groups; deeper ones share the state of the last.
const MAX_DEPTH: usize = 1000;

/// Destinations outside the body.
const SKIPPED: &[&str] = &[
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "object",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "fldinst",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "generator",
    "themedata",
    "datastore",
    "latentstyles",
    "xmlnstbl",
    "filetbl",
    "revtbl",
    "bkmkstart",
    "bkmkend",
    "nonshppict",
    "template",
];

/// State of a group.
#[derive(Debug, Clone, Copy)]
struct GroupState {
    is_skipped: bool,
    is_hidden: bool,
    is_in_table: bool,
    /// Characters after `\u` that programs without Unicode show instead.
    fallback_chars: i64,
}

struct RtfReader<'o> {
    output: &'o mut TextOutput,
    groups: Vec<GroupState>,
    state: GroupState,
    encoding: &'static Encoding,
    /// Bytes in `encoding`, not yet decoded.
    bytes: Vec<u8>,
    text: String,
    cells: Vec<String>,
    /// Characters of a fallback still to skip.
    skip: i64,
    high_surrogate: Option<u16>,
}

/// Writes the paragraphs and rows of the body.
pub(crate) fn read(content: &[u8], output: &mut TextOutput) {
    let state = GroupState { is_skipped: false, is_hidden: false, is_in_table: false, fallback_chars: 1 };
    let mut reader = RtfReader {
        output,
        groups: Vec::new(),
        state,
        encoding: WINDOWS_1252,
        bytes: Vec::new(),
        text: String::new(),
        cells: Vec::new(),
        skip: 0,
        high_surrogate: None,
    };
    let mut rest = content;
    while let Some((first, after)) = rest.split_first() {
        if reader.output.is_full() {
            break;
        }
        rest = match first {
            b'{' => reader.open(after),
            b'}' => reader.close(after),
            b'\\' => reader.control(after),
            b'\r' | b'\n' | 0 => after,
            byte => {
                reader.byte(*byte);
                after
            }
        };
    }
    reader.end_paragraph();
}

impl RtfReader<'_> {
    fn open<'r>(&mut self, rest: &'r [u8]) -> &'r [u8] {
        self.flush();
        if self.groups.len() < MAX_DEPTH {
            self.groups.push(self.state);
        }
        self.skip = 0;
        rest
    }

    fn close<'r>(&mut self, rest: &'r [u8]) -> &'r [u8] {
        self.flush();
        self.state = self.groups.pop().unwrap_or(self.state);
        self.skip = 0;
        rest
    }

    /// Reads what follows a backslash and returns the rest.
    fn control<'r>(&mut self, rest: &'r [u8]) -> &'r [u8] {
        let Some((first, after)) = rest.split_first() else { return rest };
        match first {
            b'\'' => {
                let hex = after.get(..2).and_then(|hex| str::from_utf8(hex).ok());
                if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                    self.byte(byte);
                }
                after.get(2..).unwrap_or_default()
            }
            b'*' => {
                self.state.is_skipped = true;
                after
            }
            b'~' => self.with(after, "\u{a0}"),
            b'_' => self.with(after, "-"),
            b'\\' | b'{' | b'}' => {
                self.byte(*first);
                after
            }
            b'\r' | b'\n' => {
                self.end_paragraph();
                after
            }
            letter if letter.is_ascii_alphabetic() => self.word(rest),
            _ => after,
        }
    }

    fn with<'r>(&mut self, rest: &'r [u8], text: &str) -> &'r [u8] {
        self.append(text);
        rest
    }

    /// Reads a control word with its number.
    fn word<'r>(&mut self, rest: &'r [u8]) -> &'r [u8] {
        let letters = rest.iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, after) = rest.split_at(letters);
        let word = str::from_utf8(word).unwrap_or_default();
        let sign = usize::from(after.first() == Some(&b'-'));
        let digits = after.iter().skip(sign).take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let length = if digits == 0 { 0 } else { sign + digits };
        let (number, after) = after.split_at(length);
        let number: Option<i64> = str::from_utf8(number).ok().and_then(|number| number.parse().ok());
        let after = after.strip_prefix(b" ").unwrap_or(after);
        if word == "bin" {
            let length = usize::try_from(number.unwrap_or_default()).unwrap_or_default();
            return after.get(length..).unwrap_or_default();
        }
        self.apply(word, number);
        after
    }

    fn apply(&mut self, word: &str, number: Option<i64>) {
        match word {
            "ansicpg" => {
                self.flush();
                self.encoding = code_page(number.unwrap_or_default());
            }
            "mac" => self.encoding = code_page(10_000),
            "uc" => self.state.fallback_chars = number.unwrap_or(1).clamp(0, 16),
            "u" => self.unicode(number.unwrap_or_default()),
            "v" => {
                self.flush();
                self.state.is_hidden = number != Some(0);
            }
            "plain" => {
                self.flush();
                self.state.is_hidden = false;
            }
            "intbl" => self.state.is_in_table = true,
            "pard" => self.state.is_in_table = false,
            "par" if self.state.is_in_table => self.append(" "),
            "par" | "sect" | "page" => self.end_paragraph(),
            "line" => self.append("\n"),
            "tab" => self.append("\t"),
            "cell" | "nestcell" => self.end_cell(),
            "row" | "nestrow" => self.end_row(),
            "emdash" => self.append("—"),
            "endash" => self.append("–"),
            "bullet" => self.append("•"),
            "lquote" => self.append("‘"),
            "rquote" => self.append("’"),
            "ldblquote" => self.append("“"),
            "rdblquote" => self.append("”"),
            _ if SKIPPED.contains(&word) => self.state.is_skipped = true,
            _ => {}
        }
    }

    fn is_shown(&self) -> bool {
        !self.state.is_skipped && !self.state.is_hidden
    }

    fn byte(&mut self, byte: u8) {
        if self.skip > 0 {
            self.skip -= 1;
        } else if self.is_shown() {
            self.bytes.push(byte);
        }
    }

    fn append(&mut self, text: &str) {
        self.flush();
        if self.is_shown() {
            self.text.push_str(text);
        }
    }

    /// Appends a UTF-16 unit, which RTF writes as a signed number.
    fn unicode(&mut self, number: i64) {
        self.flush();
        self.skip = self.state.fallback_chars;
        let unit = u16::try_from(number.rem_euclid(65_536)).unwrap_or_default();
        let units: Vec<u16> = self.high_surrogate.take().into_iter().chain([unit]).collect();
        if units.len() == 1 && (0xd800..0xdc00).contains(&unit) {
            self.high_surrogate = Some(unit);
            return;
        }
        let text = String::from_utf16_lossy(&units);
        if self.is_shown() {
            self.text.push_str(&text);
        }
    }

    /// Decodes the collected bytes.
    fn flush(&mut self) {
        if !self.bytes.is_empty() {
            let bytes = std::mem::take(&mut self.bytes);
            self.text.push_str(&self.encoding.decode_without_bom_handling(&bytes).0);
        }
    }

    fn end_paragraph(&mut self) {
        self.flush();
        let text = std::mem::take(&mut self.text);
        if self.cells.is_empty() {
            self.output.paragraph(&text);
        } else if let Some(cell) = self.cells.last_mut() {
            // A paragraph in a row that has no end yet.
            cell.push_str(&text);
        }
    }

    fn end_cell(&mut self) {
        self.flush();
        self.cells.push(std::mem::take(&mut self.text));
    }

    fn end_row(&mut self) {
        self.flush();
        let cells = std::mem::take(&mut self.cells);
        self.output.row(&cells);
    }
}
