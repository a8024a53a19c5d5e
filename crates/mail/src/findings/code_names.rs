//! Names that the surrounding words give to a number.

use std::ops::Range;

use super::code_evidence::CodeEvidence;
use super::lexicon::{MeaningSet, WordHit, is_unspaced, within};
use super::shapes::{CodeCandidate, CodeShape, is_year};
use super::words::code_names::NEW;
use super::words::codes::CodeWord;

/// Number of sentences above a lone code that are searched for its name.
const MAX_NAME_SENTENCES_ABOVE: usize = 4;
/// Number of sentences below a lone code that are searched for its name.
const MAX_NAME_SENTENCES_BELOW: usize = 2;
/// Maximum length of a heading in characters.
const MAX_HEADING_CHARS: usize = 80;
/// Number of characters searched for the start of a compound word that ends in "code".
const MAX_COMPOUND_CHARS: usize = 40;
/// Maximum number of words between "your" and "code", and of characters.
const MAX_BETWEEN_YOUR_AND_CODE: (usize, usize) = (3, 40);
/// Maximum distance in characters between the word "code" and the word that states its purpose.
const MAX_PURPOSE_DISTANCE: usize = 100;
/// Maximum distance in characters between a name and its number within a sentence.
pub(super) const MAX_NAME_DISTANCE: usize = 200;
/// Maximum number of characters of a sentence read on each side of a number.
const MAX_SENTENCE_CHARS: usize = 2 * MAX_NAME_DISTANCE;
/// Maximum distance in characters of a name that follows its number: "483920 is your code".
const MAX_NAME_DISTANCE_BEHIND: usize = 60;
/// Maximum distance in characters of a request to enter the number.
const MAX_ENTER_DISTANCE: usize = 48;
/// Maximum number of candidates skipped in search of the next number.
const MAX_NEIGHBOURS: usize = 8;

/// Kind of name that the text gives to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeName {
    OneTime,
    /// A code with its purpose.
    ForPurpose,
    /// A code that confirms; bookings have such codes too.
    Confirming,
    Yours,
    Bare,
    /// The number of another object.
    Other,
}

impl CodeEvidence<'_> {
    /// Returns the name that the surrounding words give to the number, with its distance in characters.
    pub(super) fn name_around(&self, number: usize, is_alone: bool) -> Option<(CodeName, usize)> {
        let range = &self.candidates.get(number)?.range;
        let (start, end) = self.sentence_around(range);
        if let Some(found) = self.name_before(number, start) {
            return Some(found);
        }
        let starts_sentence = !self.passage.slice(start..range.start).contains(char::is_alphanumeric);
        let reach = if starts_sentence { MAX_NAME_DISTANCE_BEHIND } else { MAX_NAME_DISTANCE_BEHIND / 2 };
        if let Some(found) = self.name_behind(number, end.min(self.passage.ahead(range.end, reach))) {
            return Some(found);
        }
        if self.is_entered(range) && (self.has(CodeWord::Care) || self.has_purpose(start, end)) {
            return Some((CodeName::Yours, 0));
        }
        match (is_alone, starts_sentence) {
            (true, _) => self.name_above(range).or_else(|| self.name_below(range)),
            (false, true) => self.heading(range),
            _ => None,
        }
    }

    /// Returns the name that a single hit gives to a number.
    pub(super) fn name(&self, hit: &WordHit<CodeWord>) -> Option<CodeName> {
        let name = match hit.meaning {
            CodeWord::OneTime => return Some(CodeName::OneTime),
            CodeWord::OtherNumber => return Some(CodeName::Other),
            CodeWord::Code => CodeName::Bare,
            CodeWord::YourCode => CodeName::Yours,
            _ => return None,
        };
        if self.is_compound_of_other(hit) {
            return Some(CodeName::Other);
        }
        let (start, end) = self.sentence_around(&(hit.start..hit.end));
        let start = start.max(self.passage.back(hit.start, MAX_PURPOSE_DISTANCE));
        let end = end.min(self.passage.ahead(hit.end, MAX_PURPOSE_DISTANCE));
        let around = within(&self.hits, start, end);
        let meanings = MeaningSet::of(around);
        Some(match name {
            _ if meanings.has(CodeWord::Purpose) || meanings.has(CodeWord::OneTime) => CodeName::ForPurpose,
            _ if meanings.has(CodeWord::Confirmation) => CodeName::Confirming,
            CodeName::Bare if self.is_yours(hit) => CodeName::Yours,
            name => name,
        })
    }

    /// Returns true if only a name or a qualifier stands between "your" and a code: "your Acme code", "your new code".
    fn is_yours(&self, code: &WordHit<CodeWord>) -> bool {
        let (max_words, max_characters) = MAX_BETWEEN_YOUR_AND_CODE;
        let (start, _) = self.sentence_around(&(code.start..code.end));
        let words = within(&self.hits, start.max(self.passage.back(code.start, max_characters)), code.start);
        let your = words.iter().rev().find(|hit| hit.meaning == CodeWord::Your);
        your.is_some_and(|your| {
            let between = self.passage.slice(your.end..code.start);
            let mut words = between.split([' ', '-', '\n']).filter(|word| !word.is_empty());
            let are_names = words.by_ref().take(max_words).all(names_a_code);
            are_names && words.next().is_none()
        })
    }

    /// Returns true if the hit ends a compound word whose start does not concern identity: "Kundencode".
    fn is_compound_of_other(&self, hit: &WordHit<CodeWord>) -> bool {
        let before = self.passage.slice(self.passage.back(hit.start, MAX_COMPOUND_CHARS)..hit.start);
        let code = self.passage.slice(hit.start..hit.end);
        // Scripts without spaces put none after a Latin name either: "Acmeコード".
        let is_of_word =
            |c: char| c.is_alphabetic() && !is_particle(c) && (is_unspaced(c) || !code.starts_with(is_unspaced));
        let rest = before.trim_end_matches(is_of_word);
        let start = hit.start - (before.len() - rest.len());
        let known = |meaning| {
            matches!(
                meaning,
                CodeWord::Purpose | CodeWord::Confirmation | CodeWord::Code | CodeWord::OneTime | CodeWord::Your
            )
        };
        let starts = self.hits.partition_point(|part| part.start < start);
        let parts = self.hits.get(starts..).unwrap_or_default().iter().take_while(|part| part.start < hit.start);
        let is_known = || parts.into_iter().any(|part| known(part.meaning));
        let goes_on = code.starts_with(char::is_alphabetic);
        goes_on && start < hit.start && !is_known()
    }

    fn name_before(&self, number: usize, start: usize) -> Option<(CodeName, usize)> {
        let range = &self.candidates.get(number)?.range;
        let before = self.candidates.get(..number).unwrap_or_default();
        let other =
            before.iter().rev().take(MAX_NEIGHBOURS).find(|other| is_number(other) && !self.is_counted(&other.range));
        let start =
            start.max(other.map_or(0, |other| other.range.end)).max(self.passage.back(range.start, MAX_NAME_DISTANCE));
        within(&self.hits, start, range.start)
            .iter()
            .rev()
            .find_map(|hit| Some((self.name(hit)?, self.passage.distance(hit.end, range.start))))
    }

    fn name_behind(&self, number: usize, end: usize) -> Option<(CodeName, usize)> {
        let range = &self.candidates.get(number)?.range;
        let behind = self.candidates.get(number + 1..).unwrap_or_default();
        let other = behind.iter().take(MAX_NEIGHBOURS).find(|other| is_number(other) && !self.is_counted(&other.range));
        let end = end.min(other.map_or(usize::MAX, |other| other.range.start));
        within(&self.hits, range.end, end)
            .iter()
            .find_map(|hit| Some((self.name(hit)?, self.passage.distance(range.end, hit.start))))
    }

    /// Finds the name of a lone number in the sentences above it; a heading may name another object.
    fn name_above(&self, range: &Range<usize>) -> Option<(CodeName, usize)> {
        let at = self.passage.sentence_at(range.start);
        let above = self.passage.sentences().get(at.saturating_sub(MAX_NAME_SENTENCES_ABOVE)..at)?;
        for (distance, sentence) in above.iter().rev().enumerate() {
            if self.has_number(sentence) {
                return None;
            }
            let mut names =
                within(&self.hits, sentence.start, sentence.end).iter().rev().filter_map(|hit| self.name(hit));
            match names.next() {
                Some(CodeName::Other) if !self.is_heading(sentence) || distance > 0 => {}
                Some(name) => return Some((name, distance * 10)),
                None => {}
            }
        }
        None
    }

    fn name_below(&self, range: &Range<usize>) -> Option<(CodeName, usize)> {
        let at = self.passage.sentence_at(range.end.saturating_sub(1)) + 1;
        let below = self.passage.sentences().get(at..)?.iter().take(MAX_NAME_SENTENCES_BELOW);
        let names = |sentence: &Range<usize>| within(&self.hits, sentence.start, sentence.end);
        below.enumerate().find_map(|(distance, sentence)| {
            let name = names(sentence).iter().find_map(|hit| self.name(hit)).filter(|name| *name != CodeName::Other)?;
            Some((name, distance * 10))
        })
    }

    /// Returns the name that a heading gives to a line that starts with the number.
    fn heading(&self, range: &Range<usize>) -> Option<(CodeName, usize)> {
        let at = self.passage.sentence_at(range.start).checked_sub(1)?;
        let sentence = self.passage.sentences().get(at).filter(|sentence| self.is_heading(sentence))?;
        let words = within(&self.hits, sentence.start, sentence.end);
        let ends = self.passage.slice(sentence.clone()).trim_end().ends_with(['.', '!', '?', '。', '！', '？']);
        if ends || words.iter().any(|hit| hit.meaning == CodeWord::Care) {
            return None;
        }
        Some((words.iter().rev().find_map(|hit| self.name(hit))?, 20))
    }

    /// Returns true if a sentence is short enough for a heading.
    fn is_heading(&self, sentence: &Range<usize>) -> bool {
        sentence.end <= self.passage.ahead(sentence.start, MAX_HEADING_CHARS)
    }

    /// Returns true if a sentence contains another number, to which its names belong.
    fn has_number(&self, sentence: &Range<usize>) -> bool {
        let from = self.candidates.partition_point(|candidate| candidate.range.start < sentence.start);
        let inside = self.candidates.get(from..).unwrap_or_default().iter();
        inside
            .take_while(|candidate| candidate.range.start < sentence.end)
            .take(MAX_NEIGHBOURS)
            .any(|candidate| is_number(candidate) && !is_year(&candidate.code) && !self.is_counted(&candidate.range))
    }

    fn has_purpose(&self, start: usize, end: usize) -> bool {
        let meanings = MeaningSet::of(within(&self.hits, start, end));
        meanings.has(CodeWord::Purpose) || meanings.has(CodeWord::Confirmation)
    }

    /// Returns true if the text asks the reader to enter this number.
    pub(super) fn is_entered(&self, range: &Range<usize>) -> bool {
        let before = within(&self.hits, self.passage.back(range.start, MAX_ENTER_DISTANCE), range.start);
        let behind = within(&self.hits, range.end, self.hits_end(range.end));
        let is_requested = before.iter().any(|hit| {
            hit.meaning == CodeWord::Enter && !self.passage.slice(hit.end..range.start).contains(['\n', '.'])
        });
        // Some languages put the verb last.
        let is_requested_last = behind.iter().any(|hit| {
            hit.meaning == CodeWord::Enter && self.passage.slice(hit.start..hit.end).starts_with(is_unspaced)
        });
        is_requested || is_requested_last
    }

    /// Returns the bounds of the sentence around a range, within the maximum distance. A code over several lines spans
    /// several sentences.
    pub(super) fn sentence_around(&self, range: &Range<usize>) -> (usize, usize) {
        let first = self.passage.sentences().get(self.passage.sentence_at(range.start));
        let last = self.passage.sentences().get(self.passage.sentence_at(range.end.saturating_sub(1)));
        let start =
            first.map_or(range.start, |first| first.start).max(self.passage.back(range.start, MAX_SENTENCE_CHARS));
        let end = last.map_or(range.end, |last| last.end.min(self.passage.ahead(range.end, MAX_SENTENCE_CHARS)));
        (start, end.max(range.end))
    }
}

/// Returns true if a name before the candidate belongs to it and not to later text; brand names use capitals and digits
/// too.
fn is_number(candidate: &CodeCandidate) -> bool {
    match candidate.shape {
        CodeShape::UnevenDigits | CodeShape::Letters | CodeShape::GroupedLetters | CodeShape::Words => false,
        CodeShape::Mixed => !candidate.code.bytes().any(|b| b.is_ascii_lowercase()),
        _ => true,
    }
}

/// Returns true if a word between "your" and "code" names the owner or kind of the code; words that form a sentence do
/// not.
fn names_a_code(word: &str) -> bool {
    word.contains(|c: char| c.is_uppercase() || c.is_ascii_digit()) || NEW.contains(&word) || matches!(word, "&" | "of")
}

/// Returns true for hiragana, which separate a preceding word.
fn is_particle(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}
