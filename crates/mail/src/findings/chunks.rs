//! A text cut into what may be numbers, or parts of them.

use std::ops::Range;

use super::lexicon::is_unspaced;

/// What stands between white space and signs that are part of no number.
pub(super) fn chunks(text: &str) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, belongs(c)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                chunks.extend(core(text, from..at));
                start = None;
            }
            _ => {}
        }
    }
    chunks
}

fn belongs(c: char) -> bool {
    match c {
        '#'
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

/// A chunk without the punctuation at its ends, and without the label that is glued to it: `Code:483920`.
fn core(text: &str, chunk: Range<usize>) -> Option<Range<usize>> {
    let whole = text.get(chunk.clone())?;
    let trimmed = whole.trim_end_matches(['.', ',', ':', '_', '-', '=']);
    let end = chunk.start + trimmed.len();
    let trimmed = trimmed.trim_start_matches(['.', ',', ':', '_', '=']);
    let unglued = match trimmed.rsplit_once([':', '=']) {
        Some((label, value)) if label.chars().all(|c| c.is_alphabetic() || c == '-') => value,
        _ => trimmed,
    };
    unglued.chars().any(char::is_alphanumeric).then(|| end - unglued.len()..end)
}
