//! Lines on which another message starts behind text: `Thanks! -----Original Message----- From: …`.

use super::attribution_evidence::AttributionEvidence;
use super::headers;
use super::lines::fold;
use super::separators;
use super::words::verbs;
use crate::sanitize;

/// Maximum length in bytes of the end of a line searched for an attribution.
const MAX_ATTRIBUTION_BYTES: usize = 300;
/// Maximum length of a line with an attribution behind text.
const MAX_LINE_BYTES: usize = 4096;
/// Maximum number of places in a line that are examined.
const MAX_PLACES: usize = 8;
/// Maximum length of an abbreviation in characters.
const MAX_ABBREVIATION_CHARS: usize = 2;
/// Fewest dashes beside a separator.
const DASHES: &str = "---";

/// Returns the byte at which a separator or an attribution starts behind other words, or words behind a separator.
pub(crate) fn split_at(line: &str) -> Option<usize> {
    separator_at(line).or_else(|| attribution_at(line))
}

/// Returns the start of a separator behind words, or its end before header fields.
fn separator_at(line: &str) -> Option<usize> {
    let line = sanitize::truncate(line, headers::MAX_HEADER_BYTES);
    // Most lines have no dash, which a search for one byte finds fastest.
    let at = memchr::memchr(b'-', line.as_bytes()).and_then(|_| line.find(DASHES))?;
    let (above, separator) = line.split_at_checked(at)?;
    let words = separator.trim_start_matches('-');
    let rest = words.get(words.find(DASHES)?..)?.trim_start_matches('-');
    let end = line.len() - rest.len();
    if !separators::is_original(line.get(at..end)?) {
        return None;
    }
    let is_behind_words = above.chars().any(char::is_alphanumeric);
    if is_behind_words { Some(at) } else { headers::is_label(rest).then_some(end) }
}

/// Returns the start of an attribution behind the words of a line.
///
/// It follows the end of a sentence or starts with an opening word in a capital, has a date with a time, and comes last.
fn attribution_at(line: &str) -> Option<usize> {
    // Quick rejection of most lines; in HTML, an attribution may continue with a link to the address.
    if line.len() > MAX_LINE_BYTES || !line.trim_end().ends_with([':', '：', '-', ';', '<', '(']) {
        return None;
    }
    let is_own = |c: char| matches!(c, '-' | '>' | '_');
    if line.trim_start().starts_with(is_own) {
        return None;
    }
    let whole = AttributionEvidence::of(&fold(sanitize::truncate(line, MAX_ATTRIBUTION_BYTES)));
    if whole.opens || whole.starts_with_number {
        return None;
    }
    let mut first = line.len().saturating_sub(MAX_ATTRIBUTION_BYTES);
    while !line.is_char_boundary(first) {
        first += 1;
    }
    let mut places = 0;
    let mut before = line.get(..first)?.chars().next_back();
    for (offset, c) in line.get(first..)?.char_indices() {
        let at = first + offset;
        let is_gap = before.is_none_or(|c| c.is_whitespace() || is_stop(c));
        before = Some(c);
        if at == 0 || !is_gap || c.is_lowercase() || !c.is_alphanumeric() {
            continue;
        }
        let (above, behind) = line.split_at_checked(at)?;
        if above.contains('@') {
            return None;
        }
        let opens = c.is_uppercase() && verbs::is_opener(&fold(behind.split(' ').next().unwrap_or_default()));
        if !(opens || ends_words(above)) {
            continue;
        }
        places += 1;
        if places > MAX_PLACES {
            return None;
        }
        let found = AttributionEvidence::of(&fold(behind));
        let starts = found.opens || found.starts_with_number;
        if found.has_day && found.has_clock && !found.is_first_person && (starts || found.has_address) {
            return Some(at);
        }
    }
    None
}

/// Returns true for a character that ends a sentence or a drawn line.
fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | ')' | '-')
}

/// Returns true if a text ends with a sentence, and not with an abbreviation or an ordinal number.
fn ends_words(text: &str) -> bool {
    let text = text.trim_end();
    let Some(words) = text.strip_suffix(is_stop) else {
        return false;
    };
    let last = words.rsplit(char::is_whitespace).next().unwrap_or_default();
    !text.ends_with('.')
        || (last.chars().count() > MAX_ABBREVIATION_CHARS && !last.contains(|c: char| c.is_ascii_digit()))
}
