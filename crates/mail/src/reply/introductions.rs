//! Lines that introduce another message inside a message.

use std::ops::Range;

use super::facts::ReplyHint;
use super::headers::{self, RequiredFields};
use super::lines::{is_blank, is_followed_by_quote, is_quoted, next_words};
use super::separators::{self, MailSeparator};
use super::{attribution, lotus_notes};

/// Number of lines searched for header lines between a rule and an attribution.
const MAX_HEADER_LINES_ABOVE: usize = 6;
/// Number of lines after a separator searched for an attribution.
const MAX_LINES_BETWEEN: usize = 4;

/// Kind of introduction at a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MailIntroduction {
    /// Lines above quoted ones, which belong to the quotation.
    Quote(Range<usize>),
    /// First line of another message, marked or not.
    Rest(usize),
    /// First line of a forwarded message.
    Forward(usize),
    /// First line of a service's own text, if there is text above it.
    Service(usize),
}

/// Returns the introduction that line `at`, which is not blank, contains or completes. No line above `floor` belongs to
/// it.
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

/// Returns the end of the header lines or attribution after a separator, or of the separator.
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

/// Returns the start of the header lines and the rule above a line.
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
