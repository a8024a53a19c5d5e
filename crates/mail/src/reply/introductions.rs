//! What stands above another mail and says whose it is.

use std::ops::Range;

use super::Standing;
use super::headers::{self, Sign};
use super::lines::{is_blank, is_followed_by_quote, is_quoted, next_words};
use super::separators::{self, Separator};
use super::{attribution, notes};

/// How many header lines are looked for between a rule and an attribution.
const MAX_LABELS: usize = 6;
/// How many lines behind a separator an attribution is looked for.
const MAX_BETWEEN: usize = 4;

/// What begins at a place where another mail does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Introduction {
    /// Lines above quoted ones, which belong to them.
    Quote(Range<usize>),
    /// All from this line on is another mail, marked or not.
    Rest(usize),
    /// All from this line on is passed on.
    Forward(usize),
    /// All from this line on is a service's, if somebody wrote above it.
    Service(usize),
}

/// What line `at`, which has words of its own, introduces or ends to introduce. Nothing above `floor` belongs to it.
pub(crate) fn at(all: &[&str], at: usize, floor: usize, standing: Standing) -> Option<Introduction> {
    let lines = match separators::at(all, at) {
        Some(Separator::Forward) => return Some(Introduction::Forward(above(all, at, floor))),
        Some(Separator::WriteAbove) => return Some(Introduction::Service(at)),
        Some(Separator::Original) => at..announced_end(all, at + 1),
        None => unannounced(all, at, standing)?,
    };
    let lines = above(all, lines.start.max(floor), floor)..lines.end;
    Some(if is_followed_by_quote(all, lines.end) {
        Introduction::Quote(lines)
    } else {
        Introduction::Rest(lines.start)
    })
}

fn unannounced(all: &[&str], at: usize, standing: Standing) -> Option<Range<usize>> {
    let sign = match standing {
        Standing::Answer => Sign::Mail,
        Standing::First => Sign::Outlook,
    };
    if let Some(end) = headers::block_end(all, at, sign).or_else(|| notes::block_end(all, at)) {
        return Some(at..end);
    }
    let is_above_quote = is_followed_by_quote(all, at + 1);
    let start =
        if is_above_quote { attribution::above_quote(all, at) } else { attribution::above_mail(all, at, standing) };
    start.map(|start| start..at + 1)
}

/// The end of the header lines or of the attribution that follow a separator, or of the separator itself.
fn announced_end(all: &[&str], from: usize) -> usize {
    let Some(next) = next_words(all, from) else {
        return from;
    };
    if let Some(end) = headers::block_end(all, next, Sign::Announced) {
        return end;
    }
    let words = |at: &usize| all.get(*at).is_some_and(|line| !is_blank(line) && !is_quoted(line));
    let ends = |at: &usize| attribution::above_mail(all, *at, Standing::Answer).is_some();
    (next..next + MAX_BETWEEN).take_while(words).find(ends).map_or(from, |last| last + 1)
}

/// Where the header lines and the rule above start, if there are some.
fn above(all: &[&str], start: usize, floor: usize) -> usize {
    let lowest = start.saturating_sub(MAX_LABELS).max(floor);
    let labels = (lowest..start).rev().take_while(|at| all.get(*at).is_some_and(|line| headers::is_label(line))).last();
    let ruled = |start: usize| Some(rule_above(all, start, floor)).filter(|rule| *rule < start);
    labels.and_then(ruled).unwrap_or_else(|| rule_above(all, start, floor))
}

fn rule_above(all: &[&str], start: usize, floor: usize) -> usize {
    let lowest = start.saturating_sub(3).max(floor);
    let words = (lowest..start).rev().find(|at| all.get(*at).is_some_and(|line| !is_blank(line)));
    words.filter(|at| all.get(*at).is_some_and(|line| separators::is_ornament(line))).unwrap_or(start)
}
