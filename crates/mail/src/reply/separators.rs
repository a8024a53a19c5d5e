//! Lines that say that another mail follows.

use super::headers::is_label;
use super::lines::{bare, fold, is_rule, next_words};
use super::words::marks::{FORWARDED, ORIGINAL, WRITE_ABOVE};

/// The longest such line, in octets.
const MAX_LINE: usize = 160;
/// The longest one without dashes.
const MAX_UNDRAWN: usize = 80;

/// What a line says that stands between two mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    /// The mail that is answered follows.
    Original,
    /// A mail that is passed on follows.
    Forward,
    /// What stands above is to be the answer, what follows is the service's.
    WriteAbove,
}

/// What line `at` says of what follows.
pub(crate) fn at(all: &[&str], at: usize) -> Option<Separator> {
    let line = all.get(at)?;
    if line.len() > MAX_LINE {
        return None;
    }
    let is_drawn = is_drawn(line);
    let introduces = || {
        let may = line.len() <= MAX_UNDRAWN && bare(line).ends_with([':', '：']) && !is_label(line);
        may && next_words(all, at + 1).and_then(|next| all.get(next)).is_some_and(|line| is_label(line))
    };
    if !is_drawn && !introduces() {
        return None;
    }
    let words = fold(line);
    let says = |pieces: &[&str]| pieces.iter().any(|piece| words.contains(piece));
    if is_drawn && says(WRITE_ABOVE) {
        return Some(Separator::WriteAbove);
    }
    if says(FORWARDED) {
        return Some(Separator::Forward);
    }
    says(ORIGINAL).then_some(Separator::Original)
}

/// Whether a line is one with which a mail that is passed on begins.
pub(crate) fn is_forward(line: &str) -> bool {
    let words = fold(line);
    let may_be = is_drawn(line) || (line.len() <= MAX_UNDRAWN && words.ends_with(':'));
    line.len() <= MAX_LINE && may_be && FORWARDED.iter().any(|piece| words.contains(piece))
}

/// Whether a line may stand above a block of header lines as a part of it: a rule, with words in it or not, or words
/// that announce a mail.
pub(crate) fn is_ornament(line: &str) -> bool {
    if line.len() > MAX_LINE {
        return false;
    }
    let announces = || ORIGINAL.contains(&fold(line).trim_end_matches([':', ' ']));
    is_rule(line) || (is_drawn(line) && drawn_at_end(line) >= 2) || (line.len() <= MAX_UNDRAWN && announces())
}

/// Whether a line has words behind three dashes or the like, or between two of them.
fn is_drawn(line: &str) -> bool {
    let drawn = drawn(line.chars());
    (drawn >= 3 || (drawn == 2 && drawn_at_end(line) >= 2)) && !is_rule(line)
}

fn drawn_at_end(line: &str) -> usize {
    drawn(line.chars().rev())
}

/// How many dashes and the like come first, apart from what decorates them.
fn drawn(chars: impl Iterator<Item = char>) -> usize {
    let is_dash = |c: &char| matches!(c, '-' | '_' | '=' | '#' | '\u{2010}'..='\u{2015}' | '－' | '─' | '━');
    let decorates = |c: &char| c.is_whitespace() || crate::clean::is_invisible(*c) || matches!(c, '*' | '[' | '<');
    chars.take_while(|c| is_dash(c) || decorates(c)).filter(is_dash).count()
}
