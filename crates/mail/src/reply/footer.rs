//! Notices below a message: legal disclaimers, requests not to print, reasons for the message and ways to leave a list.

use super::lines::{ends_sentence, fold_into, is_blank, is_rule};
use super::words::footers::{FOOTERS, meaning};

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
    let lowest = paragraph_start(lines);
    let mut folded = String::new();
    let mut starts = Vec::with_capacity(lines.len() - lowest);
    for line in lines.get(lowest..)? {
        starts.push(folded.len());
        fold_into(line, &mut folded);
        folded.push(' ');
    }
    let mut phrases: Vec<(usize, u16)> = FOOTERS.phrases(&folded).collect();
    phrases.sort_unstable_by_key(|(at, _)| *at);
    // From the last line upwards, the phrases that begin in a line join those below.
    let mut found = 0;
    for (line, start) in starts.into_iter().enumerate().rev() {
        while let Some((_, meaning)) = phrases.pop_if(|(at, _)| *at >= start) {
            found |= meaning;
        }
        if is_notice(found, folded.len() - start) {
            return Some(with_beginning(lines, lowest + line, found));
        }
    }
    None
}

/// Returns the first of the last lines that belong together: all but the last of them are wrapped.
fn paragraph_start(lines: &[&str]) -> usize {
    let lowest = lines.len().saturating_sub(MAX_NOTICE_LINES);
    let mut start = lines.len();
    while let Some(above) = start.checked_sub(1).filter(|above| *above >= lowest) {
        let belongs = |line: &&str| !is_blank(line) && (start == lines.len() || is_wrapped(line));
        if !lines.get(above).is_some_and(belongs) {
            break;
        }
        start = above;
    }
    start
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
        && (title.contains("disclaimer")
            || (FOOTERS.meanings(&title) & meaning::SECRET != 0 && title.split(' ').count() <= 4));
    if is_address || is_title || is_rule(line) { at } else { start }
}
