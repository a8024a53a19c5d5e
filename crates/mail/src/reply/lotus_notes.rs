//! Header block of Lotus Notes: name, time and field names on separate lines.

use super::attribution_evidence::AttributionEvidence;
use super::lines::{fold, is_blank, next_words};
use super::words::labels::{HeaderLabel, label};

/// Maximum length in bytes of a line with a time.
const MAX_TIME_LINE_BYTES: usize = 40;
/// Number of lines after the time searched for the fields.
const MAX_NOTES_LINES: usize = 24;

/// Returns the line after the block with its name on line `at`.
///
/// ```text
/// Anna Bauer/Sales/Example
/// 20.11.2026 10:00
///
/// To
/// Bo Berg/Sales/Example
/// cc
///
/// Subject
/// Figures
/// ```
pub(crate) fn block_end(all: &[&str], at: usize) -> Option<usize> {
    let time = all.get(at + 1)?;
    if time.len() > MAX_TIME_LINE_BYTES || !time.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let first = next_words(all, at + 2).and_then(|at| all.get(at))?;
    if label(fold(first).trim_end_matches(':')) != Some(HeaderLabel::To) {
        return None;
    }
    let evidence = AttributionEvidence::of(&fold(time));
    if !(evidence.has_day && evidence.has_clock && evidence.starts_with_number) {
        return None;
    }
    let mut has_recipient = false;
    for line in at + 2..all.len().min(at + 2 + MAX_NOTES_LINES) {
        let words = all.get(line)?;
        if is_blank(words) || (has_recipient && words.len() > MAX_TIME_LINE_BYTES) {
            continue;
        }
        match label(fold(words).trim_end_matches(':')) {
            // A second field of this name belongs to another block.
            Some(HeaderLabel::To) if has_recipient => return None,
            Some(HeaderLabel::To) => has_recipient = true,
            Some(HeaderLabel::Subject) if has_recipient => return Some(all.len().min(line + 2)),
            _ if !has_recipient => return None,
            _ => {}
        }
    }
    None
}
