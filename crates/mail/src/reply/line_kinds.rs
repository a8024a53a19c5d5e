//! Classification of lines as text, quotation or blank.

use super::facts::ReplyHint;
use super::introductions::{self, MailIntroduction};
use super::lines::{LineKind, ends_sentence, is_blank, is_followed_by_quote, is_groupwise_header, is_quoted, unquoted};
use super::separators;

/// Width of automatically wrapped lines in characters.
const WRAP_WIDTH_CHARS: std::ops::RangeInclusive<usize> = 66..=86;
/// Maximum number of blank lines between an attribution and its quotation.
const MAX_BLANK_LINES: usize = 4;
/// Maximum width in characters of the remainder of a wrapped line.
const MAX_TAIL_CHARS: usize = 40;

/// Result of the classification.
#[derive(Debug)]
pub(crate) struct LineReading {
    /// Kinds of the lines up to `rest`.
    pub(crate) kinds: Vec<LineKind>,
    pub(crate) rest: UnreadRest,
}

/// Content after the classified lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnreadRest {
    Nothing,
    /// Another message, quoted without marks.
    Quoted,
    /// A forwarded message.
    Forwarded,
}

/// Classifies all lines, up to the start of a message without marks on each line.
pub(crate) fn read(all: &[&str], hint: ReplyHint) -> LineReading {
    let mut kinds: Vec<LineKind> = Vec::with_capacity(all.len());
    let mut has_text = false;
    // End of the last quotation; an introduction starts after it.
    let mut floor = 0;
    while let Some(line) = all.get(kinds.len()) {
        let at = kinds.len();
        if is_blank(line) {
            kinds.push(LineKind::Blank);
            continue;
        }
        if is_groupwise_header(line) && !is_followed_by_quote(all, at + 1) {
            return until(kinds, at, UnreadRest::Quoted);
        }
        if is_quoted(line) && !is_lone_sign(all, at, &kinds) {
            if starts_quote(&kinds) && separators::is_forward(unquoted(line)) {
                return until(kinds, at, UnreadRest::Forwarded);
            }
            kinds.push(LineKind::Quote);
            floor = at + 1;
            continue;
        }
        match introductions::at(all, at, floor, hint) {
            Some(MailIntroduction::Quote(lines)) => {
                kinds.truncate(lines.start);
                kinds.resize(lines.end, LineKind::Quote);
                floor = lines.end;
            }
            Some(MailIntroduction::Rest(start)) => return until(kinds, start, UnreadRest::Quoted),
            Some(MailIntroduction::Service(start)) if has_text && hint == ReplyHint::Reply => {
                return until(kinds, start, UnreadRest::Quoted);
            }
            Some(MailIntroduction::Forward(start)) => return until(kinds, start, UnreadRest::Forwarded),
            Some(MailIntroduction::Service(_)) | None => {
                kinds.push(LineKind::Text);
                has_text = true;
            }
        }
    }
    until(kinds, all.len(), UnreadRest::Nothing).with_tails(all)
}

/// Returns true if the next line starts a quotation without an introduction. Apple Mail marks a forward like this.
fn starts_quote(kinds: &[LineKind]) -> bool {
    kinds.iter().rev().take(MAX_BLANK_LINES).find(|kind| **kind != LineKind::Blank) != Some(&LineKind::Quote)
}

fn until(mut kinds: Vec<LineKind>, end: usize, rest: UnreadRest) -> LineReading {
    kinds.truncate(end);
    LineReading { kinds, rest }
}

/// Returns true for a `>` that marks no quotation: `>50 %`, the `>From` of mailbox files, or `> Confirm: https://…`,
/// alone among unquoted lines.
fn is_lone_sign(all: &[&str], at: usize, kinds: &[LineKind]) -> bool {
    let line = all.get(at).copied().unwrap_or_default();
    let Some(behind) = line.strip_prefix('>') else {
        return false;
    };
    let is_sign = behind.starts_with(|c: char| c.is_ascii_digit() || c == '=') || behind.starts_with("From ");
    let is_alone = kinds.last() != Some(&LineKind::Quote) && !all.get(at + 1).is_some_and(|next| is_quoted(next));
    // Link lists look like this; a quotation contains more than a link.
    let stands_apart = || starts_quote(kinds) && !is_followed_by_quote(all, at + 1);
    is_alone && (is_sign || (is_link(unquoted(line)) && stands_apart()))
}

/// Returns true if the text is a link, with or without a label.
fn is_link(words: &str) -> bool {
    let words = words.trim_end();
    let name = words.find("http").and_then(|at| words.get(..at)).unwrap_or(words).trim_end();
    let link = words.get(name.len()..).unwrap_or_default().trim_start();
    let is_target = link.starts_with("https://") || link.starts_with("http://");
    is_target && !link.contains(char::is_whitespace) && (name.is_empty() || name.ends_with(':'))
}

impl LineReading {
    /// Marks text lines as quoted that are remainders of wrapped quoted lines.
    fn with_tails(mut self, all: &[&str]) -> Self {
        let mut seen = false;
        for at in 1..self.kinds.len() {
            if self.kinds.get(at) != Some(&LineKind::Text) || self.kinds.get(at - 1) != Some(&LineKind::Quote) {
                continue;
            }
            let (Some(above), Some(line)) = (all.get(at - 1), all.get(at)) else {
                continue;
            };
            let goes_on =
                self.kinds.get(at + 1) == Some(&LineKind::Quote) && all.get(at + 1).is_some_and(|next| is_quoted(next));
            let ends = seen && line.starts_with(char::is_lowercase) && self.kinds.get(at + 1) != Some(&LineKind::Text);
            if (goes_on || ends) && is_quoted(above) && is_tail(above, line) {
                seen = true;
                if let Some(kind) = self.kinds.get_mut(at) {
                    *kind = LineKind::Quote;
                }
            }
        }
        self
    }
}

/// Returns true if `line` would have made the quoted line above too wide.
fn is_tail(above: &str, line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let width = |text: &str| text.chars().take(WRAP_WIDTH_CHARS.end() * 2).count();
    let above_width = width(above.trim_end());
    above_width <= *WRAP_WIDTH_CHARS.end()
        && WRAP_WIDTH_CHARS.start() <= &(above_width + 1 + width(first))
        && width(line.trim_end()) <= MAX_TAIL_CHARS
        && !ends_sentence(above)
        && !above.trim_end().ends_with([':', ','])
}
