//! Scores of a result against the expected text: exact match and word F1.

use std::collections::HashMap;

/// Score of one or several results.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ReadingScore {
    /// Number of messages.
    pub mails: usize,
    /// Number of messages with exactly the expected words, in order.
    pub exact: usize,
    /// Sum of the F1 scores, each 0 to 1.
    pub f1: f64,
}

impl ReadingScore {
    /// Adds one result.
    pub fn add(&mut self, expected: &str, read: &str) {
        let (expected, read) = (words(expected), words(read));
        self.mails += 1;
        self.exact += usize::from(expected == read);
        self.f1 += f1(&expected, &read);
    }

    /// Returns the share of exact matches, 0 to 1.
    #[must_use]
    pub fn exact_rate(&self) -> f64 {
        as_float(self.exact) / as_float(self.mails.max(1))
    }

    /// Returns the mean F1, 0 to 1.
    #[must_use]
    pub fn mean_f1(&self) -> f64 {
        self.f1 / as_float(self.mails.max(1))
    }
}

/// Splits a text into words: runs of letters and digits.
///
/// Each ideograph, kana and hangul syllable is a word, because these scripts have no spaces. Punctuation and white
/// space do not count, since readers and renderers differ in them.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_open = false;
    for c in text.chars() {
        let stands_alone = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
        match words.last_mut() {
            Some(word) if is_open && c.is_alphanumeric() && !stands_alone => word.push(c),
            _ if c.is_alphanumeric() => words.push(c.to_string()),
            _ => {}
        }
        is_open = c.is_alphanumeric() && !stands_alone;
    }
    words
}

/// Returns the number of expected words that were read, regardless of order, and that of all expected words.
#[must_use]
pub fn kept(expected: &str, read: &str) -> (usize, usize) {
    let (expected, read) = (words(expected), words(read));
    (shared(&expected, &read), expected.len())
}

/// Returns the harmonic mean of precision and recall over words, regardless of order.
fn f1(expected: &[String], read: &[String]) -> f64 {
    match expected.len() + read.len() {
        0 => 1.0,
        both => 2.0 * as_float(shared(expected, read)) / as_float(both),
    }
}

/// Counts the words that both lists have.
fn shared(expected: &[String], read: &[String]) -> usize {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in expected {
        *left.entry(word).or_default() += 1;
    }
    let mut shared = 0;
    for word in read {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    shared
}

/// The counts are far below the exact range of a float.
#[expect(clippy::cast_precision_loss, reason = "counts of words and mails are far below 2^52")]
pub(crate) fn as_float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_single_ideographs() {
        assert_eq!(words("Ja, café-2!\n> ok"), ["Ja", "café", "2", "ok"]);
        assert_eq!(words("了解です。OK"), ["了", "解", "で", "す", "OK"]);
        assert!(words(" -- \n").is_empty());
    }

    #[test]
    fn results_are_scored() {
        let mut score = ReadingScore::default();
        score.add("a b", "a  b");
        assert_eq!((score.exact, score.mean_f1()), (1, 1.0));
        score.add("a b", "b a");
        assert_eq!((score.exact, score.mean_f1()), (1, 1.0));
        score.add("a b c d", "a b");
        assert!((score.f1 - (2.0 + 4.0 / 6.0)).abs() < 1e-9);
        score.add("a", "");
        assert_eq!((score.mails, score.exact), (4, 1));
        assert_eq!(kept("a b b c", "c b d"), (2, 4));
    }
}
