//! Signatures without a mark: the name of the author above lines of contact data.

use super::lines::{bare, fold, is_blank, is_rule};
use super::words::closings::is_closing;

/// Maximum number of lines of such a signature, with its blank ones.
const MAX_CONTACT_LINES: usize = 20;
/// Maximum length of its lines in bytes.
const MAX_CONTACT_LINE_BYTES: usize = 160;
/// Maximum number of words of its lines.
const MAX_LINE_WORDS: usize = 14;
/// Maximum number of words of a line that ends with a full stop, as `Example Ltd.` does.
const MAX_STOPPED_WORDS: usize = 6;
/// Maximum number of words beside the name in its line, for a title.
const MAX_WORDS_BESIDE_NAME: usize = 4;
/// Maximum number of lines between the name and a ruled line above it, with blank ones and that line.
const MAX_LINES_ABOVE_NAME: usize = 6;
/// Maximum number of words of a name.
const MAX_NAME_WORDS: usize = 4;
/// Maximum length of a greeting in bytes.
const MAX_GREETING_BYTES: usize = 80;
/// Minimum length in bytes of a name that distinguishes a person.
const MIN_NAME_BYTES: usize = 3;
/// Maximum number of lines of a message that are searched for its closing.
const MAX_MAIL_LINES: usize = 200;
/// Number of digits of a telephone number.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

/// Returns the first line of the signature at the end of the lines, which end with words.
///
/// It starts with the name of `author` or with a name below a closing, contains contact data and has no sentences. A
/// first name alone belongs to the closing, and the signature starts below it.
pub(crate) fn contact_start(lines: &[&str], author: &str) -> Option<usize> {
    let lowest = lines.len().saturating_sub(MAX_CONTACT_LINES);
    let author = fold(author);
    let mut contacts = 0;
    for at in (lowest..lines.len()).rev() {
        let line = lines.get(at)?;
        if is_blank(line) {
            continue;
        }
        if !may_be_contact(line) {
            return None;
        }
        if contacts > 0 && is_name_of(line, &author) {
            return Some(rule_above(lines, at).unwrap_or(at));
        }
        if contacts > 0 && looks_like_name(line) && is_closed_above(lines, at) {
            let is_first_name = !bare(line).contains(' ') && bare(line).is_ascii();
            return Some(if is_first_name { at + 1 } else { at });
        }
        contacts += usize::from(is_contact(line));
    }
    None
}

/// Returns the ruled line above the name, with the organization between them.
fn rule_above(lines: &[&str], name: usize) -> Option<usize> {
    (name.saturating_sub(MAX_LINES_ABOVE_NAME)..name)
        .rev()
        .take_while(|at| lines.get(*at).is_some_and(|line| may_be_contact(line)))
        .find(|at| lines.get(*at).is_some_and(|line| is_rule(line)))
}

/// Returns true if lines hold a whole message to a person: the first line names the person, or is a greeting and a
/// closing follows.
pub(crate) fn is_mail_to(lines: &[&str], person: &str) -> bool {
    let mut words = lines.iter().filter(|line| !is_blank(line));
    let Some(first) = words.next().filter(|line| line.len() <= MAX_GREETING_BYTES) else {
        return false;
    };
    let greeting = fold(first);
    let is_named = fold(person)
        .split(|c: char| !c.is_alphanumeric())
        .any(|name| name.len() >= MIN_NAME_BYTES && greeting.contains(name));
    let greets = || first.trim_end().ends_with([',', '!', ':', '，', '！', '：', '、']);
    is_named || (greets() && words.take(MAX_MAIL_LINES).any(|line| is_closing(line)))
}

fn is_closed_above(lines: &[&str], at: usize) -> bool {
    lines
        .get(at.saturating_sub(2)..at)
        .unwrap_or_default()
        .iter()
        .rev()
        .find(|line| !is_blank(line))
        .is_some_and(|line| is_closing(line))
}

/// Returns true for a short line without a sentence.
fn may_be_contact(line: &str) -> bool {
    let words = bare(line);
    let count = words.split_whitespace().count();
    let most = if words.ends_with('.') { MAX_STOPPED_WORDS } else { MAX_LINE_WORDS };
    let is_sentence = words.ends_with(['?', '!', '。', '？', '！', ':']);
    let first = words.split_whitespace().next().unwrap_or_default().trim_end_matches([':', '.', ',']);
    let is_postscript = first.eq_ignore_ascii_case("ps") || first.eq_ignore_ascii_case("p.s");
    words.len() <= MAX_CONTACT_LINE_BYTES && count <= most && !is_sentence && !is_postscript
}

/// Returns true if a line has the words of the folded name and few others.
fn is_name_of(line: &str, author: &str) -> bool {
    let is_separator = |c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-'));
    let folded = fold(line);
    let words: Vec<&str> = folded.split(is_separator).filter(|word| !word.is_empty()).collect();
    let mut names = author.split(is_separator).filter(|word| !word.is_empty());
    let count = names.clone().count();
    if author.chars().any(|c| c >= '\u{2e80}') {
        let squashed: String = words.concat();
        let name: String = names.collect();
        return squashed.contains(&name) && squashed.chars().count() <= 3 * name.chars().count();
    }
    let is_whole =
        count >= 2 && words.len() <= count + MAX_WORDS_BESIDE_NAME && names.all(|name| words.contains(&name));
    let is_part = words.len() >= 2 && words.iter().all(|word| author.split(is_separator).any(|name| name == *word));
    is_whole || is_part
}

/// Returns true for a few words with capitals, or of a script without them, and no digits.
fn looks_like_name(line: &str) -> bool {
    let words = bare(line).trim_end_matches(',');
    let starts = |word: &str| word.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase());
    words.split_whitespace().count() <= MAX_NAME_WORDS
        && words.split_whitespace().all(starts)
        && !words.contains(['@', ':', '/', '|'])
        && !words.chars().any(|c| c.is_ascii_digit())
}

/// Returns true if a line has an address of mail or web, or a telephone number.
fn is_contact(line: &str) -> bool {
    has_address(line) || has_phone(line)
}

fn has_address(line: &str) -> bool {
    line.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_mail = word.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.contains('.'));
        is_mail || word.starts_with("www.") || word.starts_with("http://") || word.starts_with("https://")
    })
}

/// Returns true for a number with `+`, a leading zero or a short label, which is too long for a date or a postal code.
fn has_phone(line: &str) -> bool {
    let Some(first) = line.find(|c: char| c.is_ascii_digit() || matches!(c, '+' | '(')) else {
        return false;
    };
    let Some((label, number)) = line.split_at_checked(first) else {
        return false;
    };
    let run: String = number
        .chars()
        .take_while(|c| {
            c.is_ascii_digit() || c.is_whitespace() || matches!(c, '+' | '(' | ')' | '-' | '.' | '/' | '‑' | '–')
        })
        .collect();
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let is_labelled = label.trim_end().ends_with([':', '.', '：'])
        || matches!(fold(label).as_str(), "tel" | "phone" | "t" | "m" | "p" | "f" | "mobile" | "fax" | "mob");
    PHONE_DIGITS.contains(&digits) && (run.starts_with(['+', '0', '(']) || is_labelled)
}
