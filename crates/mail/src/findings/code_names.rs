//! What the words around a number call it.

use std::ops::Range;

use super::code_evidence::CodeEvidence;
use super::lexicon::{MeaningSet, WordHit, is_unspaced, within};
use super::shapes::{CodeCandidate, CodeShape, is_year};
use super::words::code_names::NEW;
use super::words::codes::CodeWord;

/// How many sentences above a code that stands alone are searched for its name.
const MAX_NAME_SENTENCES_ABOVE: usize = 4;
/// How many below.
const MAX_NAME_SENTENCES_BELOW: usize = 2;
/// The longest line, in characters, that is a heading over what follows.
const MAX_HEADING_CHARS: usize = 80;
/// How many characters of the word are looked at that a name such as "code" ends.
const MAX_COMPOUND_CHARS: usize = 40;
/// How many words may stand between "your" and "code", and in how many characters.
const MAX_BETWEEN_YOUR_AND_CODE: (usize, usize) = (3, 40);
/// How far from the word "code" a word tells, in characters, what the code is for.
const MAX_PURPOSE_DISTANCE: usize = 100;
/// How far a name reaches within its sentence, in characters.
pub(super) const MAX_NAME_DISTANCE: usize = 200;
/// How far a sentence is looked at to either side of a number, in characters.
const MAX_SENTENCE_CHARS: usize = 2 * MAX_NAME_DISTANCE;
/// How far a name reaches back to a number that the sentence starts with: "483920 is your code".
const MAX_NAME_DISTANCE_BEHIND: usize = 60;
/// How far off, in characters, a word may be that tells to enter the number.
const MAX_ENTER_DISTANCE: usize = 48;
/// How many candidates are passed over in search of the next number.
const MAX_NEIGHBOURS: usize = 8;

/// What a number is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeName {
    OneTime,
    /// A code and what it is for.
    ForPurpose,
    /// A code that confirms, as those of bookings do too.
    Confirming,
    Yours,
    Bare,
    /// It is the number of something else.
    Other,
}

impl CodeEvidence<'_> {
    /// What the words around call the number, and how far off they are in characters.
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

    /// What a hit alone calls a number.
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
        let said = MeaningSet::of(around);
        Some(match name {
            _ if said.has(CodeWord::Purpose) || said.has(CodeWord::OneTime) => CodeName::ForPurpose,
            _ if said.has(CodeWord::Confirmation) => CodeName::Confirming,
            CodeName::Bare if self.is_yours(hit) => CodeName::Yours,
            name => name,
        })
    }

    /// Whether only a name, or which code it is, stands between "your" and a code: "your Acme code", "your new code".
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

    /// Whether the hit is but the end of a word whose start says nothing of proving who one is: "Kundencode".
    fn is_compound_of_other(&self, hit: &WordHit<CodeWord>) -> bool {
        let before = self.passage.slice(self.passage.back(hit.start, MAX_COMPOUND_CHARS)..hit.start);
        let code = self.passage.slice(hit.start..hit.end);
        // The scripts without spaces set none after a name in Latin letters either: "Acmeコード".
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

    /// The name in the sentences above a number that stands alone; a heading may call it something else.
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

    /// The name that a heading gives to a line that starts with the number.
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

    /// Whether a sentence is short enough for a heading.
    fn is_heading(&self, sentence: &Range<usize>) -> bool {
        sentence.end <= self.passage.ahead(sentence.start, MAX_HEADING_CHARS)
    }

    /// Whether a number stands in a sentence, which has the names there to itself.
    fn has_number(&self, sentence: &Range<usize>) -> bool {
        let from = self.candidates.partition_point(|candidate| candidate.range.start < sentence.start);
        let inside = self.candidates.get(from..).unwrap_or_default().iter();
        inside
            .take_while(|candidate| candidate.range.start < sentence.end)
            .take(MAX_NEIGHBOURS)
            .any(|candidate| is_number(candidate) && !is_year(&candidate.code) && !self.is_counted(&candidate.range))
    }

    fn has_purpose(&self, start: usize, end: usize) -> bool {
        let said = MeaningSet::of(within(&self.hits, start, end));
        said.has(CodeWord::Purpose) || said.has(CodeWord::Confirmation)
    }

    /// Whether the reader is told to enter just this.
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

    /// Where the sentence starts and ends that a range lies in, as far as it is looked at; a code in several lines lies
    /// in several.
    pub(super) fn sentence_around(&self, range: &Range<usize>) -> (usize, usize) {
        let first = self.passage.sentences().get(self.passage.sentence_at(range.start));
        let last = self.passage.sentences().get(self.passage.sentence_at(range.end.saturating_sub(1)));
        let start =
            first.map_or(range.start, |first| first.start).max(self.passage.back(range.start, MAX_SENTENCE_CHARS));
        let end = last.map_or(range.end, |last| last.end.min(self.passage.ahead(range.end, MAX_SENTENCE_CHARS)));
        (start, end.max(range.end))
    }
}

/// Whether a name before the candidate is its own, and none of what stands behind it: brands are written in capitals,
/// and with digits too.
fn is_number(candidate: &CodeCandidate) -> bool {
    match candidate.shape {
        CodeShape::UnevenDigits | CodeShape::Letters | CodeShape::GroupedLetters | CodeShape::Words => false,
        CodeShape::Mixed => !candidate.code.bytes().any(|b| b.is_ascii_lowercase()),
        _ => true,
    }
}

/// Whether a word between "your" and "code" names whose code it is, or which one; those that make a sentence do not.
fn names_a_code(word: &str) -> bool {
    word.contains(|c: char| c.is_uppercase() || c.is_ascii_digit()) || NEW.contains(&word) || matches!(word, "&" | "of")
}

/// Hiragana: what stands before them is a word of its own.
fn is_particle(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}
