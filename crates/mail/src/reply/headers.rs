//! Block of header lines above a message, as Outlook and others write it: `From:`, `Sent:`, `To:`, `Subject:`.

use super::lines::{bare, fold, is_blank, is_quoted, next_words};
use super::words::labels::{HeaderLabel, label};
use crate::sanitize;

/// Maximum number of lines of a block.
const MAX_BLOCK_LINES: usize = 24;
/// Maximum number of continuation lines of a field.
const MAX_CONTINUATION_LINES: usize = 5;
/// Maximum length in bytes of all fields on one line.
pub(crate) const MAX_HEADER_BYTES: usize = 1000;
/// Maximum number of words of a field name.
const MAX_LABEL_WORDS: usize = 3;
/// Maximum number of bytes read of a value.
const MAX_LABEL_VALUE_BYTES: usize = 500;
/// Maximum length of a field name in bytes, including decoration.
const MAX_LABEL_BYTES: usize = 60;

/// Fields that a block must have to count as a message header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredFields {
    /// Any two fields, after a line that announces a message.
    Announced,
    /// Fields that only messages have.
    Mail,
    /// Fields in the order of Outlook, which is unique to it.
    Outlook,
}

/// Returns true if a line starts with a header field name.
pub(crate) fn is_label(line: &str) -> bool {
    field(line).is_some()
}

/// Returns the line after the block at `at` if it has the required fields.
pub(crate) fn block_end(all: &[&str], at: usize, required: RequiredFields) -> Option<usize> {
    let mut found = HeaderFields::default();
    let mut end = at;
    let mut continued = 0;
    let mut line = at;
    field(all.get(at)?)?;
    while line < all.len().min(at + MAX_BLOCK_LINES) {
        let words = all.get(line)?;
        if is_quoted(words) {
            break;
        }
        if is_blank(words) {
            // HTML paragraphs have gaps between them; a field must follow a gap.
            match next_words(all, line).filter(|next| all.get(*next).is_some_and(|words| is_label(words))) {
                Some(next) if continued == 0 => line = next,
                _ => break,
            }
            continue;
        }
        match field(words) {
            // A repeated field belongs to another block.
            Some((label, value)) if found.add(label, value) => {
                continued = 0;
                if label == HeaderLabel::From && line == at {
                    found.add_all_of(value);
                }
            }
            Some(_) => break,
            None if continued == MAX_CONTINUATION_LINES => break,
            None => continued += 1,
        }
        line += 1;
        end = line;
    }
    let is_form = || next_words(all, end).and_then(|next| all.get(next)).is_some_and(|line| is_form_field(line));
    let is_short = required == RequiredFields::Mail && found.from_address && found.subject && !is_form();
    (found.has(required) || is_short).then_some(end)
}

/// Returns true for a word with a colon, for instance `Message:`, which continues a form.
fn is_form_field(line: &str) -> bool {
    let line = bare(line);
    line.ends_with(':') && !line.contains(' ')
}

/// Returns the field name of a line and its value: `From: x`, `*From:* x`, `De : x`, `| From | x |`.
fn field(line: &str) -> Option<(HeaderLabel, &str)> {
    let line =
        line.trim_start_matches(|c: char| c.is_whitespace() || sanitize::is_invisible(c) || matches!(c, '*' | '|'));
    let start = sanitize::truncate(line, MAX_LABEL_BYTES);
    // Quick rejection of most lines; the last byte begins both separators beyond ASCII.
    memchr::memchr3(b':', b'|', 0xef, start.as_bytes())?;
    let (at, separator) = start.char_indices().find(|(_, c)| matches!(c, ':' | '：' | '|' | '﹕'))?;
    let mut name = fold(start.get(..at)?);
    if name.chars().any(|c| c >= '\u{2e80}') {
        name.retain(|c| c != ' ');
    }
    let name = name.trim_matches(['[', ']', '【', '】']);
    Some((label(name)?, line.get(at + separator.len_utf8()..)?))
}

/// Fields of a block.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of its own")]
struct HeaderFields {
    from: bool,
    from_address: bool,
    sent: bool,
    date: bool,
    to: bool,
    subject: bool,
    /// True if the author comes first and the time second.
    is_ordered: bool,
}

impl HeaderFields {
    /// Adds a field; returns false if the block has it already.
    fn add(&mut self, label: HeaderLabel, value: &str) -> bool {
        self.is_ordered = match label {
            HeaderLabel::From => !(self.sent || self.date || self.to || self.subject),
            HeaderLabel::Sent => self.from && !(self.to || self.subject),
            _ => self.is_ordered,
        };
        let seen = match label {
            HeaderLabel::From => {
                let value = bare(sanitize::truncate(value, MAX_LABEL_VALUE_BYTES));
                self.from_address |= value.contains('@');
                // A digit starts a time range and never a name.
                if !self.from_address && value.starts_with(|c: char| c.is_ascii_digit()) {
                    return true;
                }
                &mut self.from
            }
            HeaderLabel::Sent => &mut self.sent,
            HeaderLabel::Date => &mut self.date,
            HeaderLabel::To => &mut self.to,
            HeaderLabel::Copy => return true,
            HeaderLabel::Subject => &mut self.subject,
        };
        !std::mem::replace(seen, true)
    }

    /// Adds the fields that follow the author on the same line.
    fn add_all_of(&mut self, value: &str) {
        let value = sanitize::truncate(value, MAX_HEADER_BYTES);
        for (colon, _) in value.match_indices(": ") {
            let before = value.get(..colon).unwrap_or_default();
            let starts = before.rmatch_indices(' ').take(MAX_LABEL_WORDS).map(|(at, _)| at + 1);
            let found = starts.filter_map(|at| before.get(at..)).filter_map(|name| label(&fold(name)));
            if let Some(label) = found.last() {
                self.add(label, value.get(colon + 1..).unwrap_or_default());
            }
        }
    }

    /// Checks the required fields. Itineraries also have `From`, `To` and `Date`; day plans have `From`, `To` and
    /// `Subject`.
    fn has(&self, required: RequiredFields) -> bool {
        let when = self.sent || self.date;
        let is_enough = match required {
            RequiredFields::Announced => when || self.to || self.subject,
            RequiredFields::Mail => {
                let is_whole = when && (self.subject || (self.to && self.sent));
                is_whole || (self.from_address && when)
            }
            RequiredFields::Outlook => self.sent && self.to && self.is_ordered,
        };
        self.from && is_enough
    }
}
