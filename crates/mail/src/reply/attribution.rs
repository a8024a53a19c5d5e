//! Attribution line above a quotation: `On Mon, 5 Jan 2026 at 10:00, Anna <anna@example.org> wrote:`.

use std::ops::Range;

use super::attribution_evidence::AttributionEvidence;
use super::facts::ReplyHint;
use super::lines::{bare, ends_sentence, fold_into, is_blank, is_quoted};
use super::words::verbs;
use crate::sanitize;

/// Maximum number of lines of a wrapped attribution.
const MAX_WRAPPED_LINES: usize = 4;
/// Maximum number of words in a name with address and verb.
const MAX_NAME_WORDS: usize = 8;
/// Maximum length of a line in bytes.
const MAX_ATTRIBUTION_LINE_BYTES: usize = 500;

/// An attribution that ends with the line in question.
#[derive(Debug, Clone, Copy)]
struct FoundAttribution {
    start: usize,
    evidence: AttributionEvidence,
}

/// Returns the first line of the attribution that ends with line `at`, above quoted text.
pub(crate) fn above_quote(all: &[&str], at: usize) -> Option<usize> {
    let line = all.get(at)?;
    // Quick rejection of most lines: without a colon or dashes at the end, a date is needed.
    if !bare(line).ends_with([':', '：', '-', '－']) && !around(all, at)?.iter().any(|line| may_have_day(line)) {
        return None;
    }
    let FoundAttribution { start, evidence } = read(all, at)?;
    let is_full = evidence.has_day && (evidence.has_address || evidence.has_verb);
    if !evidence.is_closed {
        return (is_full && (evidence.has_verb || evidence.starts_with_number)).then_some(start);
    }
    let is_timed = evidence.has_day && (evidence.has_clock || evidence.starts_with_number);
    let names_writer_or_verb = evidence.has_address || (evidence.has_verb && !evidence.is_first_person);
    (is_full || is_timed || names_writer_or_verb).then_some(start)
}

/// Returns the first line of the attribution that ends with line `at` if it is clear enough without quote marks after
/// it.
///
/// In a message that is no reply, the line must have every element of an attribution.
pub(crate) fn above_mail(all: &[&str], at: usize, hint: ReplyHint) -> Option<usize> {
    let line = all.get(at)?;
    // Quick rejection of most lines.
    if !bare(line).ends_with([':', '：', '-', '－']) {
        return (hint == ReplyHint::Reply && is_run_on(line)).then_some(at);
    }
    if !around(all, at)?.iter().any(|line| may_have_day(line) || line.contains('@')) {
        return None;
    }
    let FoundAttribution { start, evidence } = read(all, at)?;
    // An author who reports the words of another person continues on the next line.
    let stands_apart = all.get(at + 1).is_none_or(|next| is_blank(next));
    let starts = evidence.opens || evidence.starts_with_number;
    let is_timed = starts && evidence.has_day && evidence.has_clock;
    let says_that = evidence.has_verb && !evidence.is_first_person;
    let is_plain = match (evidence.has_day, evidence.has_address) {
        _ if hint == ReplyHint::NewThread => is_timed && evidence.has_address && says_that && stands_apart,
        (true, true) if says_that => true,
        (true, true) => {
            let ends = (is_timed && evidence.ends_with_address) || evidence.ends_with_time;
            ends && !evidence.is_first_person && stands_apart && has_name_before_address(all.get(start..=at)?)
        }
        (true, false) => is_timed && says_that && stands_apart,
        (false, true) => says_that && names_writer(all, start..at + 1) && stands_apart,
        (false, false) => false,
    };
    (is_plain && evidence.is_closed).then_some(start)
}

/// Returns the lines of a wrapped attribution that ends with line `at`.
fn around<'a, 'b>(all: &'b [&'a str], at: usize) -> Option<&'b [&'a str]> {
    all.get(at.saturating_sub(MAX_WRAPPED_LINES - 1)..=at)
}

/// Returns true if the line may contain a date: a year, or a day in digits next to its month.
fn may_have_day(line: &str) -> bool {
    let bytes = sanitize::truncate(line, MAX_ATTRIBUTION_LINE_BYTES).as_bytes();
    bytes
        .windows(2)
        .any(|pair| matches!(pair, [b'0'..=b'9', next] if !matches!(next, b' ' | b',' | b':' | b';' | b')')))
}

/// Returns true if separate lines contain little more than `Anna <anna@example.org>`.
fn names_writer(all: &[&str], lines: Range<usize>) -> bool {
    let is_first = lines.start.checked_sub(1).and_then(|above| all.get(above)).is_none_or(|above| is_blank(above));
    let mut words = all.get(lines).unwrap_or_default().iter().flat_map(|line| line.split_whitespace());
    let has_brackets = words.clone().any(|word| word.starts_with('<'));
    is_first && has_brackets && words.nth(MAX_NAME_WORDS).is_none()
}

/// Returns true if a name precedes the first address and little else follows the time.
///
/// Without a verb, this distinguishes `10:00, Anna <anna@example.org>` from a message sent to Anna.
fn has_name_before_address(lines: &[&str]) -> bool {
    let joined = lines.join(" ");
    let before = joined.find('@').and_then(|at| joined.get(..at)).unwrap_or_default();
    let start = before.rfind(|c: char| c.is_whitespace() || matches!(c, '<' | '(' | '[')).unwrap_or_default();
    let decorates = |c: char| sanitize::is_invisible(c) || matches!(c, '<' | '(' | '"' | '\'' | ',');
    let words = before.get(..start).unwrap_or_default().split_whitespace().map(|word| word.trim_matches(decorates));
    let has_digit = |word: &&str| word.bytes().any(|b| b.is_ascii_digit());
    let mut name = words.rev().filter(|word| !word.is_empty()).take_while(|word| !has_digit(word)).peekable();
    name.peek().is_some()
        && name.take(MAX_NAME_WORDS).all(|word| !word.starts_with(char::is_lowercase) || verbs::is_name_particle(word))
}

/// Returns true for an attribution with the quoted text on the same line, as Yahoo's mobile programs write it: `On Fri,
/// 20 Nov 2026 at 10:00, Anna<anna@example.org> wrote:   When?`
fn is_run_on(line: &str) -> bool {
    let start = sanitize::truncate(line, MAX_ATTRIBUTION_LINE_BYTES);
    // Quick rejection of most lines.
    if memchr::memchr(b'@', start.as_bytes()).is_none() {
        return false;
    }
    let end = [":  ", ": \u{a0}", ":\u{a0}"].iter().filter_map(|gap| start.find(gap)).min();
    let Some(attribution) = end.and_then(|end| start.get(..=end)).filter(|words| words.contains('@')) else {
        return false;
    };
    let mut folded = String::new();
    fold_into(bare(attribution), &mut folded);
    let evidence = AttributionEvidence::of(&folded);
    evidence.has_day && evidence.has_address && (evidence.has_verb || evidence.opens)
}

/// Reads the attribution that ends with line `at`; further lines count only if they add missing elements.
fn read(all: &[&str], at: usize) -> Option<FoundAttribution> {
    let mut best: Option<FoundAttribution> = None;
    let mut joined = String::new();
    for start in (at.saturating_sub(MAX_WRAPPED_LINES - 1)..=at).rev() {
        let line = all.get(start)?;
        if is_blank(line) || is_quoted(line) || line.len() > MAX_ATTRIBUTION_LINE_BYTES {
            break;
        }
        let mut folded = String::new();
        fold_into(bare(line), &mut folded);
        let Some(found) = best else {
            best = Some(FoundAttribution { start, evidence: AttributionEvidence::of(&folded) });
            joined = folded;
            continue;
        };
        if is_complete(found.evidence) || is_sentence(line, &joined) {
            break;
        }
        joined = format!("{folded} {joined}");
        let evidence = AttributionEvidence::of(&joined);
        let is_better = evidence.adds_to(found.evidence)
            && (evidence.opens
                || evidence.starts_with_number
                || (evidence.opens_weakly && !found.evidence.has_day)
                || may_start(all, start, AttributionEvidence::of(&folded)));
        // The name may be on the line above the address.
        if is_better || starts_with_address(all, found.start) {
            best = Some(FoundAttribution { start, evidence });
        }
    }
    best
}

/// Returns true if a line without a typical opening word may start an attribution, by its own elements.
fn may_start(all: &[&str], at: usize, own: AttributionEvidence) -> bool {
    let is_first = at.checked_sub(1).and_then(|above| all.get(above)).is_none_or(|above| is_blank(above));
    own.has_address || own.has_verb || (own.has_day && is_first)
}

fn is_complete(evidence: AttributionEvidence) -> bool {
    evidence.opens && (evidence.has_address || evidence.has_verb)
}

/// Returns true if the line ends a sentence, and not in an abbreviation that the next line continues.
fn is_sentence(line: &str, next: &str) -> bool {
    ends_sentence(line) && !next.starts_with(|c: char| c.is_ascii_digit())
}

fn starts_with_address(all: &[&str], at: usize) -> bool {
    all.get(at).is_some_and(|line| bare(line).starts_with(['<', '(', '[']))
}
