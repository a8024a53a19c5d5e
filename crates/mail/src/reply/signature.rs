//! Where the writer's words end and the signature starts.

use super::lines::{bare, fold, is_blank, is_rule_of_lists};
use super::words::devices::{CHECKED, CHECKERS, FRAMES, MAX_NAME_SUFFIX_BYTES, NAMES, OWN, STARTS, THINGS};

/// How many lines a signature has at most; what is longer is text.
const MAX_SIGNATURE_LINES: usize = 20;
/// How many lines stand at most below a rule of a list, or dashes without their space.
const MAX_FOOTER_LINES: usize = 8;
/// The longest line a program adds about itself, in octets, with the link in it.
const MAX_PROGRAM_LINE_BYTES: usize = 240;
/// The shortest, in octets.
const MIN_PROGRAM_LINE_BYTES: usize = 8;
/// The longest such line in words.
const MAX_PROGRAM_LINE_WORDS: usize = 14;
/// How many words there are at most in a line that names a device that is not known.
const MAX_DEVICE_WORDS: usize = 5;
/// How many words there are at most in a line that names a thing of the writer's.
const MAX_THING_WORDS: usize = 6;

/// How many of the lines of one block of text come before its signature.
pub(crate) fn text_length(block: &[&str]) -> usize {
    let mut end = block.len();
    // Who sets dashes twice divides the text by them.
    let is_lone = block.iter().filter(|line| line.trim_end() == "--").nth(1).is_none();
    loop {
        let before = end;
        end = without_tail(block, end);
        let window = end.saturating_sub(MAX_SIGNATURE_LINES);
        let tail = block.get(window..end).unwrap_or_default();
        if let Some(at) = (0..tail.len()).find(|at| is_delimiter(tail, *at, is_lone)) {
            end = window + at;
        }
        // A cut brings lines into reach that were not: again, until nothing changes. Each round takes a line away.
        if end == before {
            return end;
        }
    }
}

/// `end` without blank lines and lines such as `Sent from my iPhone` before it.
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

/// `-- ` (RFC 3676 section 4.3), as it arrives with its space stripped too, or a rule as lists draw it.
fn is_delimiter(tail: &[&str], at: usize, is_lone: bool) -> bool {
    let line = tail.get(at).copied().unwrap_or_default();
    let below = || tail.get(at + 1..).unwrap_or_default();
    line == "-- "
        || (line.trim_end() == "--" && is_lone && is_signature(below()))
        || (is_rule_of_lists(line.trim_end()) && is_footer(below()))
}

/// Few lines, in two paragraphs at most.
fn is_signature(lines: &[&str]) -> bool {
    let first = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    let lines = lines.get(first..).unwrap_or_default();
    let ends = lines.windows(2).filter(|pair| matches!(pair, [words, gap] if is_blank(gap) && !is_blank(words)));
    lines.len() <= MAX_FOOTER_LINES && ends.count() <= 1
}

/// Few lines, with an address in them.
fn is_footer(lines: &[&str]) -> bool {
    lines.len() <= MAX_FOOTER_LINES
        && lines.iter().any(|line| line.contains('@') || line.contains("http") || line.contains("www."))
}

/// Whether a program wrote the line about itself. In lower case below other words it is the end of a sentence.
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
    // A sentence has an end, and comes with others.
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
                // Most differ in the last octet.
                end.bytes().next_back() == last && words.starts_with(start) && words.ends_with(end)
            })
    };
    let is_checked = || starts_with_one(words, CHECKED) && CHECKERS.iter().any(|name| words.contains(name));
    // Zoho is named by its link alone.
    let is_named_by_link = || STARTS.contains(&words) && names_device(&fold(line));
    (is_framed() && (names_device(words) || is_named_by_link() || is_own_thing(words, line.contains("http"))))
        || is_unknown_device()
        || is_checked()
}

/// Whether the words start with one of the phrases, of which most differ in the first octet.
fn starts_with_one(words: &str, phrases: &[&str]) -> bool {
    let first = words.bytes().next();
    phrases.iter().any(|phrase| phrase.bytes().next() == first && words.starts_with(phrase))
}

/// Whether a word is the name of a device or a program, with the ending of a language or none.
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

/// Signs of languages that set no spaces, and the articles of Arabic and Hebrew, join what stands behind them.
fn is_latin(c: char) -> bool {
    c.is_alphanumeric() && c < '\u{590}'
}

/// Whether the first sentence is short and ends with a thing that is the writer's, or one with a link to it.
fn is_own_thing(words: &str, has_link: bool) -> bool {
    let sentence = words.split(". ").next().unwrap_or_default();
    let mut all = sentence.split([' ', '\'']).take(MAX_THING_WORDS + 1);
    let is_thing = |word: &str| THINGS.contains(&word);
    let is_own = |word: &str| OWN.contains(&word);
    let last = sentence.rsplit(' ').next().unwrap_or_default();
    let is_short = all.clone().count() <= MAX_THING_WORDS;
    is_short && ((is_thing(last) && (has_link || all.any(is_own))) || (is_own(last) && all.any(is_thing)))
}

/// Whether a line starts with a small letter, other than that of `iPhone`.
fn starts_low(line: &str) -> bool {
    let mut chars = line.chars();
    chars.next().is_some_and(char::is_lowercase) && !chars.next().is_some_and(char::is_uppercase)
}

/// A line up to the target of its link.
fn without_link(line: &str) -> &str {
    line.find("http").and_then(|at| line.get(..at)).unwrap_or(line)
}
