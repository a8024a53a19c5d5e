//! What stands above another mail and says whose it is.

use std::ops::Range;

use super::ReplyHint;
use super::headers::{self, RequiredFields};
use super::lines::{is_blank, is_followed_by_quote, is_quoted, next_words};
use super::separators::{self, MailSeparator};
use super::{attribution, lotus_notes};

/// How many header lines are looked for between a rule and an attribution.
const MAX_HEADER_LINES_ABOVE: usize = 6;
/// How many lines behind a separator an attribution is looked for.
const MAX_LINES_BETWEEN: usize = 4;

/// What begins at a place where another mail does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MailIntroduction {
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
pub(crate) fn at(all: &[&str], at: usize, floor: usize, hint: ReplyHint) -> Option<MailIntroduction> {
    let lines = match separators::at(all, at) {
        Some(MailSeparator::Forward) => return Some(MailIntroduction::Forward(above(all, at, floor))),
        Some(MailSeparator::WriteAbove) => return Some(MailIntroduction::Service(at)),
        Some(MailSeparator::Original) => at..announced_end(all, at + 1),
        None => unannounced(all, at, hint)?,
    };
    let lines = above(all, lines.start.max(floor), floor)..lines.end;
    Some(if is_followed_by_quote(all, lines.end) {
        MailIntroduction::Quote(lines)
    } else {
        MailIntroduction::Rest(lines.start)
    })
}

fn unannounced(all: &[&str], at: usize, hint: ReplyHint) -> Option<Range<usize>> {
    let required = match hint {
        ReplyHint::Reply => RequiredFields::Mail,
        ReplyHint::NewThread => RequiredFields::Outlook,
    };
    if let Some(end) = headers::block_end(all, at, required).or_else(|| lotus_notes::block_end(all, at)) {
        return Some(at..end);
    }
    let is_above_quote = is_followed_by_quote(all, at + 1);
    let start = if is_above_quote { attribution::above_quote(all, at) } else { attribution::above_mail(all, at, hint) };
    start.map(|start| start..at + 1)
}

/// The end of the header lines or of the attribution that follow a separator, or of the separator itself.
fn announced_end(all: &[&str], from: usize) -> usize {
    let Some(next) = next_words(all, from) else {
        return from;
    };
    if let Some(end) = headers::block_end(all, next, RequiredFields::Announced) {
        return end;
    }
    let words = |at: &usize| all.get(*at).is_some_and(|line| !is_blank(line) && !is_quoted(line));
    let ends = |at: &usize| attribution::above_mail(all, *at, ReplyHint::Reply).is_some();
    (next..next + MAX_LINES_BETWEEN).take_while(words).find(ends).map_or(from, |last| last + 1)
}

/// Where the header lines and the rule above start, if there are some.
fn above(all: &[&str], start: usize, floor: usize) -> usize {
    let lowest = start.saturating_sub(MAX_HEADER_LINES_ABOVE).max(floor);
    let labels = (lowest..start).rev().take_while(|at| all.get(*at).is_some_and(|line| headers::is_label(line))).last();
    let ruled = |start: usize| Some(rule_above(all, start, floor)).filter(|rule| *rule < start);
    labels.and_then(ruled).unwrap_or_else(|| rule_above(all, start, floor))
}

fn rule_above(all: &[&str], start: usize, floor: usize) -> usize {
    let lowest = start.saturating_sub(3).max(floor);
    let words = (lowest..start).rev().find(|at| all.get(*at).is_some_and(|line| !is_blank(line)));
    words.filter(|at| all.get(*at).is_some_and(|line| separators::is_ornament(line))).unwrap_or(start)
}
