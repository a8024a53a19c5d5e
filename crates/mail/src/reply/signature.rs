//! Boundary between text and signature.

use super::contact::contact_start;
use super::footer::notice_start;
use super::lines::{bare, fold, is_blank, is_rule_of_lists};
use super::words::devices::{CHECKED, CHECKERS, FRAMES, MAX_NAME_SUFFIX_BYTES, NAMES, OWN, STARTS, THINGS};

/// Maximum number of lines of a signature; longer ones are text.
const MAX_SIGNATURE_LINES: usize = 20;
/// Maximum number of lines below the rule of a list, or below dashes without the trailing space.
const MAX_FOOTER_LINES: usize = 8;
/// Maximum length in bytes of a line that a program adds about itself, with its link.
const MAX_PROGRAM_LINE_BYTES: usize = 240;
/// Minimum length of such a line in bytes.
const MIN_PROGRAM_LINE_BYTES: usize = 8;
/// Maximum number of words of such a line.
const MAX_PROGRAM_LINE_WORDS: usize = 14;
/// Maximum number of words of a line with an unknown device.
const MAX_DEVICE_WORDS: usize = 5;
/// Maximum number of words of a line with a possession of the author.
const MAX_THING_WORDS: usize = 6;

/// Returns the number of lines of a text block before its signature.
///
/// Notices of the organization or service count as part of the signature.
pub(crate) fn text_length(block: &[&str], author: &str) -> usize {
    let mut end = block.len();
    // Dashes that occur twice are a divider.
    let is_lone = block.iter().filter(|line| line.trim_end() == "--").nth(1).is_none();
    loop {
        let before = end;
        end = without_tail(block, end);
        let window = end.saturating_sub(MAX_SIGNATURE_LINES);
        let tail = block.get(window..end).unwrap_or_default();
        if let Some(at) = (0..tail.len()).find(|at| is_delimiter(tail, *at, is_lone)) {
            end = window + at;
        }
        end = without_notice(block, end);
        let lines = block.get(..end).unwrap_or_default();
        if let Some(start) = contact_start(lines, author) {
            end = start;
        }
        // A cut brings further lines into reach, so the loop runs until nothing changes. Each round removes a line.
        if end == before {
            return end;
        }
    }
}

/// Splits lines that are no text into a signature and a footer.
pub(crate) fn split(lines: &[&str]) -> (Vec<usize>, Vec<usize>) {
    let is_below_rule = |at: &usize| lines.get(*at).is_some_and(|line| is_rule_of_lists(line.trim_end()));
    let mut end = (0..lines.len()).find(is_below_rule).unwrap_or(lines.len());
    let (mut signature, mut footer) = (Vec::new(), (end..lines.len()).rev().collect::<Vec<_>>());
    let mut is_in_footer = false;
    while let Some(last) = end.checked_sub(1) {
        let line = lines.get(last).copied().unwrap_or_default();
        let notice = lines.get(..end).and_then(notice_start);
        is_in_footer = notice.is_some() || is_checked(&fold(line)) || (is_in_footer && is_blank(line));
        let start = notice.unwrap_or(last);
        if is_in_footer { &mut footer } else { &mut signature }.extend((start..end).rev());
        end = start;
    }
    signature.reverse();
    footer.reverse();
    (signature, footer)
}

/// Returns `end` moved above the notice that ends there.
fn without_notice(block: &[&str], end: usize) -> usize {
    notice_start(block.get(..end).unwrap_or_default()).unwrap_or(end)
}

/// Returns true for folded words that a virus scanner adds.
fn is_checked(words: &str) -> bool {
    starts_with_one(words, CHECKED) && CHECKERS.iter().any(|name| words.contains(name))
}

/// Returns `end` moved above blank lines and lines such as `Sent from my iPhone`.
fn without_tail(block: &[&str], mut end: usize) -> usize {
    let mut is_below_program = false;
    while let Some(last) = end.checked_sub(1) {
        let line = block.get(last).copied().unwrap_or_default();
        let above = last.checked_sub(1).and_then(|above| block.get(above)).copied().unwrap_or_default();
        if is_blank(line) || (is_below_program && line.trim_end() == "---") {
            end = last;
        } else if is_program_line(line, above) {
            end = last;
            is_below_program = true;
        } else if !is_blank(above)
            && line.len() + above.len() <= MAX_PROGRAM_LINE_BYTES
            && is_program_line(&format!("{above} {line}"), "")
        {
            end = last - 1;
            is_below_program = true;
        } else {
            break;
        }
    }
    end
}

/// Returns true for `-- ` (RFC 3676, section 4.3), for `--` without its space, and for the rule of a mailing list.
fn is_delimiter(tail: &[&str], at: usize, is_lone: bool) -> bool {
    let line = tail.get(at).copied().unwrap_or_default();
    let below = || tail.get(at + 1..).unwrap_or_default();
    line == "-- "
        || (line.trim_end() == "--" && is_lone && is_signature(below()))
        || (is_rule_of_lists(line.trim_end()) && is_footer(below()))
}

/// Returns true for a few lines in at most two paragraphs.
fn is_signature(lines: &[&str]) -> bool {
    let first = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    let lines = lines.get(first..).unwrap_or_default();
    let ends = lines.windows(2).filter(|pair| matches!(pair, [words, gap] if is_blank(gap) && !is_blank(words)));
    lines.len() <= MAX_FOOTER_LINES && ends.count() <= 1
}

/// Returns true for a few lines with an address.
fn is_footer(lines: &[&str]) -> bool {
    lines.len() <= MAX_FOOTER_LINES
        && lines.iter().any(|line| line.contains('@') || line.contains("http") || line.contains("www."))
}

/// Returns true for a line that a program wrote about itself. In lower case below other text it is the end of a
/// sentence.
fn is_program_line(line: &str, above: &str) -> bool {
    let line = bare(line);
    if line.len() < MIN_PROGRAM_LINE_BYTES
        || line.len() > MAX_PROGRAM_LINE_BYTES
        || (starts_low(line) && !is_blank(above))
    {
        return false;
    }
    let mut folded = fold(without_link(line));
    folded.retain(|c| !matches!(c, '[' | ']'));
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '.' | '。' | '-' | '!' | '(' | '<' | ':');
    let words = folded.trim_matches(is_mark);
    // A sentence has a full stop and neighbours.
    let is_alone = is_blank(above) && !folded.ends_with('.');
    let count = words.split(' ').count();
    if words.ends_with('?') || count > MAX_PROGRAM_LINE_WORDS {
        return false;
    }
    let is_unknown_device =
        || words.starts_with("sent from my ") && is_alone && count <= MAX_DEVICE_WORDS && !words.contains([',', '.']);
    let last = words.bytes().next_back();
    let is_framed = || {
        starts_with_one(words, STARTS)
            || FRAMES.iter().any(|(start, end)| {
                // The comparison of the last byte rejects most phrases.
                end.bytes().next_back() == last && words.starts_with(start) && words.ends_with(end)
            })
    };
    // Zoho appears in its link alone.
    let is_named_by_link = || STARTS.contains(&words) && names_device(&fold(line));
    (is_framed() && (names_device(words) || is_named_by_link() || is_own_thing(words, line.contains("http"))))
        || is_unknown_device()
        || is_checked(words)
}

/// Returns true if the words start with one of the phrases; the first byte rejects most.
fn starts_with_one(words: &str, phrases: &[&str]) -> bool {
    let first = words.bytes().next();
    phrases.iter().any(|phrase| phrase.bytes().next() == first && words.starts_with(phrase))
}

/// Returns true if a word is the name of a device or program, with or without a suffix.
fn names_device(words: &str) -> bool {
    NAMES.iter().any(|name| {
        let is_unspaced = name.starts_with(|c: char| c >= '\u{2e80}');
        words.match_indices(name).any(|(at, _)| {
            let (before, behind) =
                (words.get(..at).unwrap_or_default(), words.get(at + name.len()..).unwrap_or_default());
            let ending = behind.find(|c: char| !is_latin(c)).unwrap_or(behind.len());
            is_unspaced || (!before.ends_with(is_latin) && ending <= MAX_NAME_SUFFIX_BYTES)
        })
    })
}

/// Returns true for letters and digits below U+0590. Other scripts attach particles or articles directly to a name.
fn is_latin(c: char) -> bool {
    c.is_alphanumeric() && c < '\u{590}'
}

/// Returns true if the first sentence is short and names a possession of the author, or an object with a link.
fn is_own_thing(words: &str, has_link: bool) -> bool {
    let sentence = words.split(". ").next().unwrap_or_default();
    let mut all = sentence.split([' ', '\'']).take(MAX_THING_WORDS + 1);
    let is_thing = |word: &str| THINGS.contains(&word);
    let is_own = |word: &str| OWN.contains(&word);
    let last = sentence.rsplit(' ').next().unwrap_or_default();
    let is_short = all.clone().count() <= MAX_THING_WORDS;
    is_short && ((is_thing(last) && (has_link || all.any(is_own))) || (is_own(last) && all.any(is_thing)))
}

/// Returns true if a line starts with a lower-case letter other than that of `iPhone`.
fn starts_low(line: &str) -> bool {
    let mut chars = line.chars();
    chars.next().is_some_and(char::is_lowercase) && !chars.next().is_some_and(char::is_uppercase)
}

/// Returns a line up to its link.
fn without_link(line: &str) -> &str {
    line.find("http").and_then(|at| line.get(..at)).unwrap_or(line)
}
