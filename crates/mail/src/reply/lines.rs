//! What a single line looks like.

use crate::sanitize;

/// The longest line that is looked at for words of programs, in octets.
const MAX_FOLDED_BYTES: usize = 500;

/// The longest short form of a month, in octets.
pub(crate) const MAX_MONTH_BYTES: usize = 10;

/// The kind of a line within the part of a mail that may hold both answers and quotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// The writer's own words.
    Text,
    /// A quoted line, or the line above a quotation that says whose it is.
    Quote,
    /// Nothing but white space.
    Blank,
}

/// Whether a line carries the mark of a quotation: `>`, its full-width form, or `AB>`, the initials of who is quoted.
pub(crate) fn is_quoted(line: &str) -> bool {
    let line = start(line);
    line.starts_with(['>', '＞']) || has_initials(line)
}

/// Whether a line is what Novell writes above an unmarked mail: `>>> Anna <anna@example.org> 20.11.2026 10:00 >>>`.
pub(crate) fn is_groupwise_header(line: &str) -> bool {
    let line = line.trim();
    let inner = line.strip_prefix(">>>").and_then(|line| line.strip_suffix(">>>"));
    inner.is_some_and(|words| words.starts_with(' ') && words.bytes().any(|b| b.is_ascii_digit()))
}

/// A line without the marks of quotation in front.
pub(crate) fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_whitespace() || c == '>')
}

/// Whether there is nothing in a line that can be seen.
pub(crate) fn is_blank(line: &str) -> bool {
    line.chars().all(|c| c.is_whitespace() || sanitize::is_invisible(c))
}

/// A line without what decorates it: emphasis, bars of tables and white space around it.
pub(crate) fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || sanitize::is_invisible(c) || matches!(c, '*' | '_' | '|'))
}

/// Appends a line as it is compared: lower case, one space for each gap, emphasis and invisible signs left out, one form
/// for each of the colons, dashes and apostrophes. Of a very long line only the start is taken.
pub(crate) fn fold_into(line: &str, out: &mut String) {
    for c in sanitize::truncate(line, MAX_FOLDED_BYTES).chars() {
        match c {
            '*' => {}
            // What most lines are made of.
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

/// A line as [`fold_into`] writes it, trimmed.
pub(crate) fn fold(line: &str) -> String {
    let line = bare(line);
    let mut out = String::with_capacity(line.len().min(MAX_FOLDED_BYTES));
    fold_into(line, &mut out);
    out.truncate(out.trim_end().len());
    out
}

/// Whether the line draws a rule: nothing but dashes, underscores and the like.
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

/// Whether the line draws a rule as mailing lists do above what they add.
pub(crate) fn is_rule_of_lists(line: &str) -> bool {
    (line.len() >= 30 && line.bytes().all(|b| b == b'_'))
        || (line.len() >= 20 && line.starts_with("-=") && line.bytes().all(|b| matches!(b, b'-' | b'=')))
}

/// Whether a line is at an end where a sentence is. `20.` and `20. Nov.` are none: there a day is cut in two.
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

/// The next line from `from` on that is not blank, if no more than two blank ones come before it.
pub(crate) fn next_words(all: &[&str], from: usize) -> Option<usize> {
    (from..all.len().min(from + 3)).find(|at| all.get(*at).is_some_and(|line| !is_blank(line)))
}

/// Whether quoted text comes next.
pub(crate) fn is_followed_by_quote(all: &[&str], from: usize) -> bool {
    next_words(all, from).and_then(|at| all.get(at)).is_some_and(|line| is_quoted(line))
}

fn start(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_whitespace() || sanitize::is_invisible(c))
}

/// Two to four capitals in front of the mark, as The Bat! writes them.
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
