//! Disguised words: look-alike letters of other scripts, styled letters, and letters with a space behind each.

use std::ops::Range;

use crate::confusables::latin_lookalike;

/// Number of single letters in a row from which they are one text.
const MIN_SPACED_LETTERS: usize = 6;

/// Returns the plain small letter of a styled one: bold and the like in mathematics, in a circle, small capital.
pub(super) fn plain_letter(c: char) -> char {
    let first = match c {
        '\u{1d400}'..='\u{1d6a3}' => 0x1d400,
        '\u{24b6}'..='\u{24e9}' => 0x24b6,
        '\u{1d00}'..='\u{1d22}' | 'ʙ' | 'ɢ' | 'ʜ' | 'ɪ' | 'ʟ' | 'ɴ' | 'ʀ' | 'ʏ' | 'ꜰ' | 'ꜱ' => {
            return latin_lookalike(c).unwrap_or(c);
        }
        '\u{2102}'..='\u{2134}' => return letterlike_symbol(c),
        _ => return c,
    };
    // Each style has the alphabet twice, as capitals and as small letters.
    char::from_u32(u32::from('a') + (u32::from(c) - first) % 26).unwrap_or(c)
}

/// Returns the letter of a symbol that fills a gap in the alphabets of mathematics.
fn letterlike_symbol(c: char) -> char {
    match c {
        'ℬ' => 'b',
        'ℂ' | 'ℭ' => 'c',
        'ℯ' | 'ℰ' => 'e',
        'ℱ' => 'f',
        'ℊ' => 'g',
        'ℋ' | 'ℌ' | 'ℍ' | 'ℎ' => 'h',
        'ℐ' | 'ℑ' => 'i',
        'ℒ' => 'l',
        'ℳ' => 'm',
        'ℕ' => 'n',
        'ℴ' => 'o',
        'ℙ' => 'p',
        'ℚ' => 'q',
        'ℛ' | 'ℜ' | 'ℝ' => 'r',
        'ℤ' | 'ℨ' => 'z',
        c => c,
    }
}

/// Returns true for a word of Latin letters and of others that look like such.
pub(super) fn is_mixed(word: &str) -> bool {
    let looks_latin = |c: char| latin_lookalike(c).is_some() || c.to_lowercase().all(|c| latin_lookalike(c).is_some());
    word.contains(|c: char| c.is_ascii_alphabetic()) && word.contains(looks_latin)
}

/// Returns the places of Latin letters right beside Greek, Cyrillic or Armenian ones.
pub(super) fn mixed_words(line: &str) -> impl Iterator<Item = Range<usize>> {
    // First bytes of the letters of these scripts, which have two.
    let is_mixed = |bytes: &[u8]| match *bytes {
        [latin, 0xce..=0xd6, _] | [0xce..=0xd6, _, latin] => latin.is_ascii_alphabetic(),
        _ => false,
    };
    line.as_bytes().windows(3).enumerate().filter(move |(_, bytes)| is_mixed(bytes)).map(|(at, _)| at..at + 3)
}

/// Returns the places of styled letters.
pub(super) fn styled_letters(line: &str) -> impl Iterator<Item = Range<usize>> {
    // First bytes of mathematics, small capitals and circles.
    let places = memchr::memchr3_iter(0xf0, 0xe1, 0xe2, line.as_bytes()).map(|at| at..at + 3);
    places.filter(move |place| {
        matches!(
            line.as_bytes().get(place.clone()),
            Some([0xf0, 0x9d, 0x90..=0x9a] | [0xe1, 0xb4, _] | [0xe2, 0x92, 0xb6..=0xbf] | [0xe2, 0x93, 0x80..=0xa9])
        )
    })
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
        for word in ["рrіоr", "іnstructions", "instructionѕ", "ΙGNORE"] {
            assert!(is_mixed(word), "{word}");
            assert_ne!(mixed_words(word).count(), 0, "{word}");
        }
        for word in ["письмо", "prior", "naïve", "référence"] {
            assert!(!is_mixed(word), "{word}");
            assert_eq!(mixed_words(word).count(), 0, "{word}");
        }
    }

    #[test]
    fn styled_letters_are_plain_letters() {
        for word in ["𝐢𝐠𝐧𝐨𝐫𝐞", "𝘐𝘎𝘕𝘖𝘙𝘌", "𝕴𝖌𝖓𝖔𝖗𝖊", "𝚒𝚐𝚗𝚘𝚛𝚎", "ⓘⓖⓝⓞⓡⓔ", "ⒾⒼⓃⓄⓇⒺ", "ɪɢɴᴏʀᴇ", "ℑ𝔤𝔫𝔬ℜ𝔢"]
        {
            assert_eq!(word.chars().map(plain_letter).collect::<String>(), "ignore", "{word}");
            assert_ne!(styled_letters(word).count(), 0, "{word}");
        }
        for word in ["ignore", "ignoré", "игнор", "№①™"] {
            assert_eq!(word.chars().map(plain_letter).collect::<String>(), word);
            assert_eq!(styled_letters(word).count(), 0, "{word}");
        }
    }
}
