//! Properties of a single line.

use crate::{sanitize, vectorized};

/// Maximum number of bytes of a line searched for known words.
const MAX_FOLDED_BYTES: usize = 500;

/// Maximum length of an abbreviated month in bytes.
pub(crate) const MAX_MONTH_BYTES: usize = 10;

/// Kind of a line in a text with replies and quotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// Text of the author.
    Text,
    /// A quoted line or its attribution.
    Quote,
    /// White space only.
    Blank,
}

/// Returns true for a line with a quote mark: `>`, its full-width form, or `AB>` with the initials of the quoted
/// author.
pub(crate) fn is_quoted(line: &str) -> bool {
    let line = start(line);
    line.starts_with(['>', '＞']) || has_initials(line)
}

/// Returns true for the line that Novell programs write above an unmarked message: `>>> Anna <anna@example.org>
/// 20.11.2026 10:00 >>>`.
pub(crate) fn is_groupwise_header(line: &str) -> bool {
    let line = line.trim();
    let inner = line.strip_prefix(">>>").and_then(|line| line.strip_suffix(">>>"));
    inner.is_some_and(|words| words.starts_with(' ') && words.bytes().any(|b| b.is_ascii_digit()))
}

/// Strips the quote marks of a line.
pub(crate) fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_whitespace() || c == '>')
}

/// Returns true if a line has no visible characters.
pub(crate) fn is_blank(line: &str) -> bool {
    line.chars().all(|c| c.is_whitespace() || sanitize::is_invisible(c))
}

/// Strips emphasis, table bars and white space around a line.
pub(crate) fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || sanitize::is_invisible(c) || matches!(c, '*' | '_' | '|'))
}

/// Appends a line in the form for comparison.
///
/// Lower case, single spaces, without emphasis and invisible characters, one form for colons, dashes and apostrophes.
/// Only the start of a very long line is used.
pub(crate) fn fold_into(line: &str, out: &mut String) {
    let line = sanitize::truncate(line, MAX_FOLDED_BYTES);
    if is_plain(line) {
        let start = out.len();
        out.push_str(line);
        if let Some(line) = out.get_mut(start..) {
            line.make_ascii_lowercase();
        }
        return;
    }
    for c in line.chars() {
        match c {
            '*' => {}
            '!'..='_' | 'a'..='~' => out.push(c.to_ascii_lowercase()),
            c if sanitize::is_invisible(c) => {}
            c if c.is_whitespace() => {
                if !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            '：' | '﹕' | '︰' => out.push(':'),
            '’' | '‘' | '`' | '´' => out.push('\''),
            '\u{2010}'..='\u{2015}' | '－' | '−' | '─' | '━' => out.push('-'),
            'İ' => out.push('i'),
            c if c.is_ascii() => out.push(c.to_ascii_lowercase()),
            c => out.extend(c.to_lowercase()),
        }
    }
}

/// Returns true for a line whose form for comparison differs in capitals alone: ASCII without emphasis, grave accents, and
/// white space other than single spaces between words.
fn is_plain(line: &str) -> bool {
    let is_plain = |b: u8| matches!(b, b' '..=b'~') && !matches!(b, b'*' | b'`');
    vectorized::all(line, is_plain)
        && vectorized::all_pairs(line, |b, next| b != b' ' || next != b' ')
        && !line.starts_with(' ')
}

/// Returns a line in the form of [`fold_into`], trimmed.
pub(crate) fn fold(line: &str) -> String {
    let line = bare(line);
    let mut out = String::with_capacity(line.len().min(MAX_FOLDED_BYTES));
    fold_into(line, &mut out);
    out.truncate(out.trim_end().len());
    out
}

/// Returns true for a ruled line: only dashes, underscores and similar characters.
pub(crate) fn is_rule(line: &str) -> bool {
    let mut drawn = 0;
    for c in line.chars() {
        match c {
            '-' | '_' | '=' | '*' | '\u{2010}'..='\u{2015}' | '─' | '━' => drawn += 1,
            c if c.is_whitespace() => {}
            _ => return false,
        }
    }
    drawn >= 3
}

/// Returns true for a ruled line of a mailing list above its footer.
pub(crate) fn is_rule_of_lists(line: &str) -> bool {
    (line.len() >= 30 && line.bytes().all(|b| b == b'_'))
        || (line.len() >= 20 && line.starts_with("-=") && line.bytes().all(|b| matches!(b, b'-' | b'=')))
}

/// Returns true if a line ends with a sentence. `20.` and `20. Nov.` do not, because they split a date.
pub(crate) fn ends_sentence(line: &str) -> bool {
    let line = line.trim_end();
    let Some(words) = line.strip_suffix('.') else {
        return line.ends_with(['!', '?', '…', '。', '！', '？']);
    };
    let mut words = words.rsplit(' ');
    let is_number = |word: &str| word.trim_end_matches('.').bytes().all(|b| b.is_ascii_digit());
    let last = words.next().unwrap_or_default();
    let is_month =
        last.len() <= MAX_MONTH_BYTES && words.next().is_some_and(|word| !word.is_empty() && is_number(word));
    last.is_empty() || !(is_number(last) || is_month)
}

/// Returns the first non-blank line from `from` on, after at most two blank ones.
pub(crate) fn next_words(all: &[&str], from: usize) -> Option<usize> {
    (from..all.len().min(from + 3)).find(|at| all.get(*at).is_some_and(|line| !is_blank(line)))
}

/// Returns true if quoted text follows.
pub(crate) fn is_followed_by_quote(all: &[&str], from: usize) -> bool {
    next_words(all, from).and_then(|at| all.get(at)).is_some_and(|line| is_quoted(line))
}

fn start(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_whitespace() || sanitize::is_invisible(c))
}

/// Returns true for two to four capitals before the mark, the style of The Bat!.
fn has_initials(line: &str) -> bool {
    for (letters, (at, c)) in line.char_indices().enumerate() {
        if c == '>' {
            let behind = line.get(at + 1..).unwrap_or_default();
            return letters >= 2 && (behind.is_empty() || behind.starts_with([' ', '>']));
        }
        if !c.is_uppercase() || letters == 4 {
            return false;
        }
    }
    false
}
