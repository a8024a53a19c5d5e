//! Multi-pattern search for the words of a table.

use std::collections::HashSet;

use aho_corasick::AhoCorasick;

/// Words by meaning, in all languages.
///
/// A `*` before or after a word allows further letters there, as stems and compounds need. Otherwise the word must
/// stand alone, unless its script has no spaces between words.
pub(crate) type WordTable<M> = [(M, &'static [&'static str])];

/// Meaning of a word in a table.
pub(crate) trait WordMeaning: Copy {
    /// Returns true for a word about the topic of the message. Such words match inside other words and hide none.
    fn is_subject(self) -> bool;

    /// Returns the index of the meaning in its table. [`MeaningSet`] has room for those below 64.
    fn number(self) -> u32;
}

/// Set of meanings as a bit mask.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MeaningSet(u64);

impl MeaningSet {
    pub(crate) fn of<M: WordMeaning>(hits: &[WordHit<M>]) -> Self {
        Self(hits.iter().fold(0, |meanings, hit| meanings | bit(hit.meaning)))
    }

    pub(crate) fn has<M: WordMeaning>(self, meaning: M) -> bool {
        self.0 & bit(meaning) != 0
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

fn bit(meaning: impl WordMeaning) -> u64 {
    1_u64.checked_shl(meaning.number()).unwrap_or_default()
}

/// A word of the table at its position in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WordHit<M> {
    pub(crate) meaning: M,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

pub(crate) struct WordLexicon<M> {
    /// `None` if the table exceeds the capacity of an automaton; no word matches then.
    automaton: Option<AhoCorasick>,
    entries: Vec<LexiconEntry<M>>,
}

struct LexiconEntry<M> {
    meaning: M,
    goes_on_before: bool,
    goes_on_behind: bool,
}

impl<M: WordMeaning> WordLexicon<M> {
    pub(crate) fn new(table: &WordTable<M>) -> Self {
        let mut words = Vec::new();
        let mut entries = Vec::new();
        // Languages share words.
        let mut seen = HashSet::new();
        for &(meaning, row) in table {
            for marked in row.iter().filter(|marked| seen.insert((meaning.number(), **marked))) {
                let word = marked.trim_matches('*');
                entries.push(LexiconEntry {
                    meaning,
                    goes_on_before: marked.starts_with('*') || word.starts_with(is_unspaced),
                    goes_on_behind: marked.ends_with('*') || word.ends_with(is_unspaced),
                });
                words.push(word);
            }
        }
        Self { automaton: AhoCorasick::new(words).ok(), entries }
    }

    /// Finds the words in a lower-case text, in order.
    ///
    /// A word inside a longer one is omitted, because the longer one is meant: a "promo code" is not a code.
    pub(crate) fn hits(&self, lower: &str) -> Vec<WordHit<M>> {
        let Some(automaton) = &self.automaton else {
            return Vec::new();
        };
        let mut hits: Vec<WordHit<M>> = automaton
            .find_overlapping_iter(lower)
            .filter_map(|found| {
                let entry = self.entries.get(found.pattern().as_usize())?;
                let before = lower.get(..found.start())?.chars().next_back();
                let behind = lower.get(found.end()..)?.chars().next();
                let stands = (entry.goes_on_before || !before.is_some_and(is_spaced_letter))
                    && (entry.goes_on_behind || !behind.is_some_and(is_spaced_letter));
                stands.then_some(WordHit { meaning: entry.meaning, start: found.start(), end: found.end() })
            })
            .collect();
        hits.sort_by_key(|hit| (hit.start, std::cmp::Reverse(hit.end)));
        let mut longest = 0..0;
        hits.retain(|hit| {
            if hit.meaning.is_subject() {
                return true;
            }
            let is_outermost = hit.end > longest.end || longest == (hit.start..hit.end);
            if is_outermost {
                longest = hit.start..hit.end;
            }
            is_outermost
        });
        hits
    }
}

/// Returns the hits between two positions.
pub(crate) fn within<M>(hits: &[WordHit<M>], start: usize, end: usize) -> &[WordHit<M>] {
    let from = hits.partition_point(|hit| hit.start < start);
    let rest = hits.get(from..).unwrap_or_default();
    rest.get(..rest.partition_point(|hit| hit.end <= end)).unwrap_or_default()
}

/// Returns true for letters of scripts without spaces between words. Hangul has spaces but attaches particles to words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff66}'..='\u{ff9f}')
}

/// Returns true for a letter of a script with spaces between words.
pub(crate) fn is_spaced_letter(c: char) -> bool {
    c.is_alphabetic() && !is_unspaced(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl WordMeaning for char {
        fn is_subject(self) -> bool {
            self.is_uppercase()
        }

        fn number(self) -> u32 {
            u32::from(self) % 32
        }
    }

    fn found(text: &str) -> Vec<(char, &str)> {
        let table: &WordTable<char> =
            &[('c', &["*code", "コード"]), ('p', &["promo code"]), ('v', &["verif*"]), ('P', &["promo"])];
        let hits = WordLexicon::new(table).hits(text);
        hits.iter().map(|hit| (hit.meaning, &text[hit.start..hit.end])).collect()
    }

    #[test]
    fn words_stand_alone_except_stems_and_suffixes() {
        assert_eq!(found("verification code"), [('v', "verif"), ('c', "code")]);
        assert_eq!(found("sicherheitscode"), [('c', "code")]);
        assert_eq!(found("codes recoded averify"), []);
        assert_eq!(found("確認コードは"), [('c', "コード")]);
    }

    #[test]
    fn longer_word_hides_shorter_word() {
        assert_eq!(found("a promo code, a code"), [('p', "promo code"), ('P', "promo"), ('c', "code")]);
    }
}
