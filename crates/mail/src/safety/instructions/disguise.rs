//! Disguised words: look-alike letters of other scripts, and letters with a space behind each.

use std::ops::Range;

/// Number of single letters in a row from which they are one text.
const MIN_SPACED_LETTERS: usize = 6;

/// Returns the Latin letter that a lower-case Cyrillic or Greek letter looks like.
pub(super) fn latin_lookalike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' => 'a',
        'в' | 'β' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'һ' | 'н' => 'h',
        'і' | 'ι' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'м' => 'm',
        'п' | 'η' => 'n',
        'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' => 'u',
        'ѵ' | 'ν' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        _ => return None,
    })
}

/// Returns true for a word of Latin letters and of others that look like such.
pub(super) fn is_mixed(word: &str) -> bool {
    let looks_latin = |c: char| c.to_lowercase().all(|c| latin_lookalike(c).is_some());
    word.contains(|c: char| c.is_ascii_alphabetic()) && word.contains(looks_latin)
}

/// Returns the places of Latin letters right before Cyrillic or Greek ones.
pub(super) fn mixed_words(line: &str) -> impl Iterator<Item = Range<usize>> {
    // First bytes of Greek and Cyrillic letters.
    let is_mixed = |pair: &[u8]| matches!(pair, [one, 0xce..=0xd2] if one.is_ascii_alphabetic());
    line.as_bytes().windows(2).enumerate().filter(move |(_, pair)| is_mixed(pair)).map(|(at, _)| at..at + 1)
}

/// Returns the places behind three letters with a space around each, in texts of one alphabet.
pub(super) fn spaced_letters(text: &str) -> impl Iterator<Item = Range<usize>> {
    let (mut last, mut stride, mut row) = (0, 0, 0);
    memchr::memchr_iter(b' ', text.as_bytes()).filter_map(move |at| {
        row = if at - last == stride { row + 1 } else { 1 };
        (stride, last) = (at - last, at);
        // Letters of one, two and three bytes.
        (row >= 3 && matches!(stride, 2..=4)).then_some(at..at)
    })
}

/// Returns the places of two ASCII letters with a space around each, at every fourth byte: longer rows have one there.
pub(super) fn spaced_ascii_letters(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_row = |chunk: &[u8]| match *chunk {
        [b' ', a, b' ', b] | [a, b' ', b, b' '] => a.is_ascii_alphabetic() && b.is_ascii_alphabetic(),
        _ => false,
    };
    let chunks = text.as_bytes().chunks_exact(4).enumerate();
    chunks.filter(move |(_, chunk)| is_row(chunk)).map(|(number, _)| 4 * number..4 * number)
}

/// Returns the parts of a text whose words are single letters.
pub(super) fn spaced_runs(text: &str) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    if spaced_letters(text).next().is_none() {
        return runs;
    }
    let (mut start, mut letters, mut at) = (0, 0, 0);
    for word in text.split([' ', '\n']) {
        let end = at + word.len();
        if word.chars().nth(1).is_some() {
            // The spaces beside longer words are none of the run.
            close(&mut runs, start..at.saturating_sub(1), letters);
            (start, letters) = (end + 1, 0);
        } else {
            letters += word.len().min(1);
        }
        at = end + 1;
    }
    close(&mut runs, start..text.len(), letters);
    runs
}

fn close(runs: &mut Vec<Range<usize>>, run: Range<usize>, letters: usize) {
    if letters >= MIN_SPACED_LETTERS {
        runs.push(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_apart_are_one_run() {
        let text = "Sale! i g n o r e   a l l now";
        assert_eq!(
            spaced_runs(text).iter().map(|run| text[run.clone()].trim()).collect::<Vec<_>>(),
            ["i g n o r e   a l l"]
        );
        assert!(spaced_runs("a b c and one more").is_empty());
        assert_eq!(spaced_letters("plan b is as good as plan a").count(), 0);
        for start in ["", "a", "ab", "abc"] {
            assert_ne!(spaced_ascii_letters(&format!("{start}i g n o r e")).count(), 0);
        }
        assert_ne!(spaced_letters("з а б у д ь").count(), 0);
    }

    #[test]
    fn words_of_two_scripts_are_mixed() {
        assert!(is_mixed("рrіоr"));
        assert!(!is_mixed("письмо") && !is_mixed("prior") && !is_mixed("naïve"));
        assert_eq!(mixed_words("рrіоr").count(), 1);
    }
}
