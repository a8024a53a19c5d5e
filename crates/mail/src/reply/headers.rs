//! A block of header lines, as Outlook and others write it above a mail: `From:`, `Sent:`, `To:`, `Subject:`.

use super::lines::{bare, fold, is_blank, is_quoted, next_words};
use super::words::labels::{HeaderLabel, label};
use crate::sanitize;

/// How many lines a block is looked at.
const MAX_BLOCK_LINES: usize = 24;
/// How many lines a field may be continued over, or stand below its name.
const MAX_CONTINUATION_LINES: usize = 5;
/// How much of a value is looked at, in octets.
const MAX_LABEL_VALUE_BYTES: usize = 500;
/// The longest name of a field, in octets, with what decorates it.
const MAX_LABEL_BYTES: usize = 60;

/// How much a block must have to be one of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredFields {
    /// Any two fields: a line above says that a mail follows.
    Announced,
    /// What only a mail has.
    Mail,
    /// What Outlook writes, in its order, which nobody else does.
    Outlook,
}

/// Whether a line names a field of a header.
pub(crate) fn is_label(line: &str) -> bool {
    field(line).is_some()
}

/// The line behind the block that starts at `at`, if one does that has enough.
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
            // Paragraphs of HTML stand apart; what follows a gap must be a field.
            match next_words(all, line).filter(|next| all.get(*next).is_some_and(|words| is_label(words))) {
                Some(next) if continued == 0 => line = next,
                _ => break,
            }
            continue;
        }
        match field(words) {
            // A field that comes again is another block's.
            Some((label, value)) if found.add(label, value) => continued = 0,
            Some(_) => break,
            None if continued == MAX_CONTINUATION_LINES => break,
            None => continued += 1,
        }
        line += 1;
        end = line;
    }
    found.has(required).then_some(end)
}

/// The field a line starts with, and its value: `From: x`, `*From:* x`, `De : x`, `| From | x |`.
fn field(line: &str) -> Option<(HeaderLabel, &str)> {
    let line =
        line.trim_start_matches(|c: char| c.is_whitespace() || sanitize::is_invisible(c) || matches!(c, '*' | '|'));
    let start = sanitize::truncate(line, MAX_LABEL_BYTES);
    // A first look, which spares most lines the closer one: the last octet begins the two that are not ASCII.
    memchr::memchr3(b':', b'|', 0xef, start.as_bytes())?;
    let (at, separator) = start.char_indices().find(|(_, c)| matches!(c, ':' | '：' | '|' | '﹕'))?;
    let mut name = fold(start.get(..at)?);
    if name.chars().any(|c| c >= '\u{2e80}') {
        name.retain(|c| c != ' ');
    }
    let name = name.trim_matches(['[', ']', '【', '】']);
    Some((label(name)?, line.get(at + separator.len_utf8()..)?))
}

/// Which fields a block has.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of its own")]
struct HeaderFields {
    from: bool,
    from_address: bool,
    sent: bool,
    date: bool,
    to: bool,
    subject: bool,
    /// Whether the first field tells who wrote and the second when it was sent.
    is_ordered: bool,
}

impl HeaderFields {
    /// Whether the field is new to the block.
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
                // From ten to twelve: nobody's name starts with a digit.
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

    /// A journey has a `From`, a `To` and a `Date` too; a plan for the day has a `From`, a `To` and a `Subject`.
    fn has(&self, required: RequiredFields) -> bool {
        let when = self.sent || self.date;
        let is_enough = match required {
            RequiredFields::Announced => when || self.to || self.subject,
            RequiredFields::Mail => when && (self.subject || (self.to && (self.sent || self.from_address))),
            RequiredFields::Outlook => self.sent && self.to && self.is_ordered,
        };
        self.from && is_enough
    }
}
