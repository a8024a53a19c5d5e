//! Notices below a message: legal disclaimers, requests not to print, reasons for the message and ways to leave a list.

use super::lines::{ends_sentence, fold_into, is_blank, is_rule};
use super::words::footers::{MAX_PHRASE_BYTES, meaning, meanings};

/// Maximum number of lines of a notice without a blank one.
const MAX_NOTICE_LINES: usize = 24;
/// Minimum length of a disclaimer in bytes; shorter ones are sentences of the author.
const MIN_DISCLAIMER_BYTES: usize = 60;
/// Maximum length of other notices in bytes.
const MAX_NOTICE_BYTES: usize = 400;
/// Minimum length in bytes of a line that the next one continues.
const MIN_WRAPPED_BYTES: usize = 50;
/// Maximum width of such a line in characters.
const MAX_WRAPPED_CHARS: usize = 100;
/// Maximum length in bytes of a postal address or a title next to a notice.
const MAX_BESIDE_BYTES: usize = 90;

/// Returns the first line of the notice at the end of the lines, which end with words.
pub(crate) fn notice_start(lines: &[&str]) -> Option<usize> {
    let mut folded = String::new();
    let mut found = 0;
    let lowest = lines.len().saturating_sub(MAX_NOTICE_LINES);
    for start in (lowest..lines.len()).rev() {
        let line = lines.get(start)?;
        // Only wrapped lines belong together.
        if is_blank(line) || (start + 1 < lines.len() && !is_wrapped(line)) {
            return None;
        }
        let mut joined = String::new();
        fold_into(line, &mut joined);
        joined.push(' ');
        let new = joined.len() + MAX_PHRASE_BYTES;
        joined.push_str(&folded);
        folded = joined;
        // The words below are known already, except phrases that begin in this line.
        found |= meanings(folded.get(..folded.floor_char_boundary(new)).unwrap_or_default());
        if is_notice(found, folded.len()) {
            return Some(with_beginning(lines, start, found));
        }
    }
    None
}

/// Returns true if the line may continue on the next one.
fn is_wrapped(line: &str) -> bool {
    line.len() >= MIN_WRAPPED_BYTES && line.chars().nth(MAX_WRAPPED_CHARS).is_none()
}

/// Returns true if folded words of this length with these meanings are a notice.
fn is_notice(found: u16, bytes: usize) -> bool {
    let has = |wanted: u16| found & wanted == wanted;
    let legal = found & (meaning::SECRET | meaning::RECIPIENT | meaning::MISTAKE | meaning::DELETION);
    // An author also asks to delete a message that was sent by mistake.
    let is_for_others = legal & (meaning::SECRET | meaning::RECIPIENT) != 0;
    let is_legal = bytes >= MIN_DISCLAIMER_BYTES
        && is_for_others
        && match legal.count_ones() {
            0 | 1 => false,
            2 => has(meaning::ITSELF),
            _ => has(meaning::ITSELF) || has(meaning::SECRET | meaning::RECIPIENT),
        };
    let is_service =
        has(meaning::PRINTING | meaning::NATURE) || has(meaning::LEAVING | meaning::REASON) || has(meaning::PROGRAM);
    is_legal || (is_service && bytes <= MAX_NOTICE_BYTES)
}

/// Returns the start with the first lines of a wrapped notice, its title, and the postal address above a way to leave a
/// list.
fn with_beginning(lines: &[&str], mut start: usize, found: u16) -> usize {
    let above = |start: usize| start.checked_sub(1).and_then(|at| lines.get(at)).filter(|line| !is_blank(line));
    while let Some(line) = above(start) {
        if !is_wrapped(line) || ends_sentence(line) {
            break;
        }
        start -= 1;
    }
    let is_leaving = found & meaning::LEAVING != 0;
    let next = (start.saturating_sub(2)..start).rev().find(|at| lines.get(*at).is_some_and(|line| !is_blank(line)));
    let Some((at, line)) = next.and_then(|at| Some((at, lines.get(at)?))) else {
        return start;
    };
    let is_short = line.len() <= MAX_BESIDE_BYTES && !ends_sentence(line);
    let is_address =
        is_leaving && is_short && line.contains([',', '，', '·', '|']) && line.bytes().any(|b| b.is_ascii_digit());
    let mut title = String::new();
    fold_into(line, &mut title);
    let is_title = is_short
        && (title.contains("disclaimer") || (meanings(&title) & meaning::SECRET != 0 && title.split(' ').count() <= 4));
    if is_address || is_title || is_rule(line) { at } else { start }
}
