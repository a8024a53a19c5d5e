//! The line above a quotation: `On Mon, 5 Jan 2026 at 10:00, Anna <anna@example.org> wrote:`.

use super::evidence::Evidence;
use super::lines::{bare, ends_sentence, fold_into, is_blank, is_quoted};

/// Over how many lines an attribution may be wrapped.
const MAX_WRAPPED: usize = 4;
/// The longest line that is looked at, in octets.
const MAX_LINE: usize = 500;

/// An attribution that ends with the line it was asked for.
#[derive(Debug, Clone, Copy)]
struct Attribution {
    start: usize,
    evidence: Evidence,
}

/// The first line of the attribution that ends with line `at`, which stands above quoted text.
pub(crate) fn above_quote(all: &[&str], at: usize) -> Option<usize> {
    let Attribution { start, evidence } = read(all, at)?;
    let is_full = evidence.has_day && (evidence.has_address || evidence.has_verb);
    if !evidence.is_closed {
        return (is_full && (evidence.has_verb || evidence.starts_with_number)).then_some(start);
    }
    let is_timed = evidence.has_day && (evidence.has_clock || evidence.starts_with_number);
    let says_who = evidence.has_address || (evidence.has_verb && !evidence.is_first_person);
    (is_full || is_timed || says_who).then_some(start)
}

/// The first line of the attribution that ends with line `at`, if it is so plain that everything behind it is another
/// mail though no line is marked.
pub(crate) fn above_mail(all: &[&str], at: usize) -> Option<usize> {
    if !may_end(all.get(at)?) {
        return None;
    }
    let Attribution { start, evidence } = read(all, at)?;
    let says_who = evidence.has_verb || evidence.ends_with_address;
    let starts = evidence.opens || evidence.starts_with_number || evidence.has_address;
    let is_plain = evidence.is_closed
        && evidence.has_day
        && says_who
        && starts
        && (evidence.has_address || (evidence.has_clock && !evidence.is_first_person));
    is_plain.then_some(start)
}

/// A first look, which spares most lines the closer one.
fn may_end(line: &str) -> bool {
    bare(line).ends_with([':', '：', '-', '－'])
}

/// The lines up to `at` that say most; more lines are taken only when they add what is missing.
fn read(all: &[&str], at: usize) -> Option<Attribution> {
    let mut best: Option<Attribution> = None;
    let mut folded = String::new();
    for start in (at.saturating_sub(MAX_WRAPPED - 1)..=at).rev() {
        let line = all.get(start)?;
        if is_blank(line) || is_quoted(line) || line.len() > MAX_LINE {
            break;
        }
        let mut joined = String::new();
        fold_into(bare(line), &mut joined);
        let adds_address = joined.contains('@');
        if start < at {
            joined.push(' ');
            joined.push_str(&folded);
        }
        folded = joined;
        let evidence = Evidence::of(&folded);
        if start < at && ends_sentence(line) && !evidence.opens {
            break;
        }
        let is_better = match best {
            None => true,
            // The name in front of an address that a line starts with.
            Some(best) if starts_with_address(all, best.start) => true,
            Some(best) => {
                let starts = evidence.opens
                    || evidence.starts_with_number
                    || adds_address
                    || (evidence.opens_weakly && !best.evidence.has_day);
                let adds = evidence.weight() > best.evidence.weight()
                    || (evidence.opens_weakly && !best.evidence.opens_weakly);
                starts && adds
            }
        };
        if is_better {
            best = Some(Attribution { start, evidence });
        }
        if evidence.opens {
            break;
        }
    }
    best
}

fn starts_with_address(all: &[&str], at: usize) -> bool {
    all.get(at).is_some_and(|line| bare(line).starts_with(['<', '(', '[']))
}
