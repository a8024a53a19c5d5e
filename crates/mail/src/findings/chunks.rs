//! Split of a text into chunks that may contain codes.

use std::ops::Range;

use super::lexicon::is_unspaced;
use crate::vectorized;

/// Splits a text at white space and at characters that no code contains.
///
/// A URL with its query is one chunk, since its values are not meant for typing. A line of words is one chunk too.
pub(super) fn chunks(text: &str) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if is_of_words(line) {
            chunks.extend(line.contains(|c: char| c.is_ascii_alphabetic()).then_some(start..end));
        } else {
            chunks_of_line(text, start..end, &mut chunks);
        }
        start = end;
    }
    chunks
}

/// Returns true for a line of words in lower case or with a capital first letter, as most lines are. Such a line
/// contains no code and continues none from another line.
fn is_of_words(line: &str) -> bool {
    // A chunk that ends after a colon or an equals sign can be empty.
    let is_of_words = |b: u8| b.is_ascii() && !b.is_ascii_digit() && !matches!(b, b'-' | b':' | b'=');
    vectorized::all(line, is_of_words)
        && vectorized::all_pairs(line, |b, next| !b.is_ascii_uppercase() || next.is_ascii_lowercase())
        && !line.ends_with(|c: char| c.is_ascii_uppercase())
}

fn chunks_of_line(text: &str, line: Range<usize>, chunks: &mut Vec<Range<usize>>) {
    let behind = |at: usize| text.get(at..line.end).unwrap_or_default();
    let end_of_run = |from: usize| behind(from).find(|c| !belongs(c)).map_or(line.end, |length| from + length);
    let mut read = line.start;
    while let Some(start) = behind(read).find(belongs).map(|gap| read + gap) {
        let mut end = end_of_run(start);
        let mut may_be_address = false;
        let mut seen = start;
        while behind(end).starts_with(['?', ';', '~']) && behind(end + 1).starts_with(belongs) {
            may_be_address = may_be_address || text.get(seen..end).is_some_and(|run| run.contains(['.', '/']));
            if !may_be_address {
                break;
            }
            seen = end;
            end = end_of_run(end + 1);
        }
        chunks.extend(core(text, start..end));
        read = end;
    }
}

fn belongs(c: char) -> bool {
    match c {
        'a'..='z'
        | 'A'..='Z'
        | '0'..='9'
        | '#'
        | '$'
        | '%'
        | '&'
        | '+'
        | ','
        | '-'
        | '.'
        | '/'
        | ':'
        | '='
        | '@'
        | '\\'
        | '_'
        | '€'
        | '£'
        | '¥'
        | '₩'
        | '₽'
        | '₺'
        | '₹'
        | '№'
        | '°'
        | '\u{2010}'..='\u{2013}'
        | '\u{2212}' => true,
        c => c.is_alphanumeric() && !is_unspaced(c),
    }
}

/// Trims the punctuation of a chunk and the label attached to it: `Code:483920`.
fn core(text: &str, chunk: Range<usize>) -> Option<Range<usize>> {
    let whole = text.get(chunk.clone())?;
    if whole.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Some(chunk);
    }
    let trimmed = whole.trim_end_matches(['.', ',', ':', '_', '-', '=']);
    let end = chunk.start + trimmed.len();
    let trimmed = trimmed.trim_start_matches(['.', ',', ':', '_', '=']);
    let unglued = match trimmed.rsplit_once([':', '=']) {
        Some((label, value)) if label.chars().all(|c| c.is_alphabetic() || c == '-') => value,
        _ => trimmed,
    };
    unglued.chars().any(char::is_alphanumeric).then(|| end - unglued.len()..end)
}

/// Returns true for a chunk without digits, dashes or capitals only, as most are. No code begins like this.
pub(super) fn is_word(chunk: &str) -> bool {
    let is_of_word = |b: u8| b.is_ascii() && !b.is_ascii_digit() && b != b'-';
    chunk.bytes().all(is_of_word) && chunk.bytes().any(|b| b.is_ascii_lowercase())
}
