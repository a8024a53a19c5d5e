//! Evidence for and against a verification code.

use std::ops::Range;
use std::sync::LazyLock;

use super::code_names::{CodeName, MAX_NAME_DISTANCE};
use super::lexicon::{MeaningSet, WordHit, WordLexicon, within};
use super::passage::TextPassage;
use super::shapes::{CodeCandidate, CodeShape, is_year};
use super::words::codes::{CODE_WORDS, CodeWord};

static LEXICON: LazyLock<WordLexicon<CodeWord>> = LazyLock::new(|| WordLexicon::new(CODE_WORDS));

/// Maximum number of characters between a noun and its number: "Order no. #".
const MAX_NUMBERED_GAP: usize = 4;
/// Distance in characters after a number within which its unit may follow.
const UNIT_LOOKAHEAD_CHARS: usize = 24;
/// Number of lines with a lone number from which the numbers form a list; none of them is a code.
const MIN_LIST_NUMBERS: usize = 4;

/// A text with the evidence that concerns it as a whole.
pub(super) struct CodeEvidence<'a> {
    pub(super) passage: &'a TextPassage,
    pub(super) candidates: &'a [CodeCandidate],
    pub(super) hits: Vec<WordHit<CodeWord>>,
    whole: MeaningSet,
    /// True if the text names a code that proves identity.
    names_code: bool,
    is_list: bool,
}

impl<'a> CodeEvidence<'a> {
    /// Collects the evidence; returns `None` if no wording suggests a code.
    pub(super) fn of(passage: &'a TextPassage, candidates: &'a [CodeCandidate]) -> Option<Self> {
        let hits = LEXICON.hits(&passage.lower);
        let whole = MeaningSet::of(&hits);
        let names = [CodeWord::OneTime, CodeWord::Code, CodeWord::YourCode, CodeWord::Enter];
        let is_awaited = whole.has(CodeWord::Care) && whole.has(CodeWord::Purpose);
        if !is_awaited && !names.into_iter().any(|name| whole.has(name)) {
            return None;
        }
        let mut evidence = Self { passage, candidates, hits, whole, names_code: false, is_list: false };
        evidence.names_code = evidence.hits.iter().any(|hit| {
            matches!(evidence.name(hit), Some(CodeName::OneTime | CodeName::ForPurpose | CodeName::Confirming))
        });
        evidence.is_list =
            (0..candidates.len()).filter(|number| evidence.is_alone(*number)).nth(MIN_LIST_NUMBERS - 1).is_some();
        Some(evidence)
    }

    /// Returns the confidence for a candidate in hundredths; the value can exceed both ends of the scale.
    pub(super) fn confidence(&self, number: usize) -> i32 {
        let Some(candidate) = self.candidates.get(number) else {
            return 0;
        };
        let range = &candidate.range;
        if self.is_counted(range) || self.is_expired(range) || self.has(CodeWord::Recovery) {
            return 0;
        }
        let is_alone = self.is_alone(number);
        let (name, distance) = match self.name_around(number, is_alone) {
            Some((CodeName::Other, _)) => return 0,
            Some((CodeName::Bare, distance)) if self.is_entered(range) => (CodeName::Yours, distance),
            Some(found) => found,
            None if is_alone && self.stands_for_itself() => return shape_score(candidate) + 35,
            None => return 0,
        };
        if !may_be_called(candidate, name, distance, is_alone) {
            return 0;
        }
        let is_bought = self.has(CodeWord::Trade);
        let is_cheap = self.has(CodeWord::Promotion);
        let mut confidence = match name {
            CodeName::OneTime => 64,
            CodeName::ForPurpose => 60,
            CodeName::Confirming if is_bought => -5,
            CodeName::Confirming => 56,
            CodeName::Yours if is_bought || is_cheap => -10,
            CodeName::Yours => 34,
            _ if is_bought || is_cheap => -20,
            _ if !self.has(CodeWord::Care) && !self.has(CodeWord::Purpose) => 6,
            _ => 20,
        };
        confidence += match distance {
            0..=12 => 10,
            13..=40 => 6,
            41..=120 => 0,
            _ => -15,
        };
        confidence += 12 * i32::from(is_alone);
        confidence += 8 * i32::from(self.has(CodeWord::Care));
        confidence += 5 * i32::from(self.has(CodeWord::Purpose) || self.has(CodeWord::OneTime));
        confidence -= 70 * i32::from(self.has(CodeWord::Meeting));
        confidence -= 70 * i32::from(self.has(CodeWord::Technical));
        confidence -= 50 * i32::from(self.is_household(range));
        confidence + shape_score(candidate)
    }

    pub(super) fn has(&self, meaning: CodeWord) -> bool {
        self.whole.has(meaning)
    }

    /// Returns true if a lone number may take a name from elsewhere in the message.
    fn stands_for_itself(&self) -> bool {
        let is_other = self.has(CodeWord::Promotion) || self.has(CodeWord::Trade) || self.has(CodeWord::Meeting);
        let is_awaited = self.has(CodeWord::Care) && self.has(CodeWord::Purpose);
        !self.is_list && !is_other && (self.names_code || is_awaited)
    }

    /// Returns true if a word states the unit of the number or the object it numbers.
    pub(super) fn is_counted(&self, range: &Range<usize>) -> bool {
        let behind = within(&self.hits, range.end, self.hits_end(range.end)).first();
        let is_unit = behind.is_some_and(|hit| {
            hit.meaning == CodeWord::Unit && self.passage.slice(range.end..hit.start).chars().all(|c| c == ' ')
        });
        let before = self.hits.partition_point(|hit| hit.start < range.start);
        let before =
            before.checked_sub(1).and_then(|before| self.hits.get(before)).filter(|hit| hit.end <= range.start);
        let is_numbered = before.is_some_and(|hit| {
            let gap = self.passage.slice(hit.end..range.start);
            hit.meaning == CodeWord::Numbered
                && gap.chars().count() <= MAX_NUMBERED_GAP
                && !gap.contains(|c: char| c.is_alphanumeric() || c == '\n' || c == ':' || c == '：')
        });
        is_unit || is_numbered || self.is_masked(range)
    }

    /// Returns true if the words after the number state that it has expired.
    fn is_expired(&self, range: &Range<usize>) -> bool {
        let behind = within(&self.hits, range.end, self.hits_end(range.end));
        behind.iter().any(|hit| {
            hit.meaning == CodeWord::Spent && self.passage.slice(range.end..hit.start).chars().all(|c| c == ' ')
        })
    }

    /// Returns the end of the range after a number that is searched for related words.
    pub(super) fn hits_end(&self, from: usize) -> usize {
        self.passage.ahead(from, UNIT_LOOKAHEAD_CHARS)
    }

    /// Returns true if the number is the visible end of a masked one: `•••• 4432`, `**4432`.
    fn is_masked(&self, range: &Range<usize>) -> bool {
        let before = self.passage.text.get(..range.start).unwrap_or_default();
        let behind = self.passage.text.get(range.end..).unwrap_or_default();
        let is_bold = behind.starts_with('*');
        before.trim_end_matches(' ').ends_with(['•', '●', '∙', '·']) || (before.ends_with("**") && !is_bold)
    }

    /// Returns true if the sentence contains no other words.
    fn is_alone(&self, number: usize) -> bool {
        let Some(range) = self.candidates.get(number).map(|candidate| &candidate.range) else {
            return false;
        };
        let (before, behind) = self.sentence_around(range);
        let has_words = |range| self.passage.slice(range).contains(char::is_alphanumeric);
        !has_words(before..range.start) && !has_words(range.end..behind)
    }

    fn is_household(&self, range: &Range<usize>) -> bool {
        let (start, end) = self.sentence_around(range);
        let start = start.max(self.passage.back(range.start, MAX_NAME_DISTANCE));
        let end = end.min(self.passage.ahead(range.end, MAX_NAME_DISTANCE));
        MeaningSet::of(within(&self.hits, start, end)).has(CodeWord::Household)
    }
}

/// Returns true for alternating letters and digits, as a generator produces them; a person writes "SAVE20".
fn is_random(code: &str) -> bool {
    let kinds: Vec<bool> = code.bytes().map(|b| b.is_ascii_digit()).collect();
    kinds.iter().zip(kinds.iter().skip(1)).filter(|(one, next)| one != next).count() >= 2
}

/// Returns true for a name that ends in digits: "Office365".
fn is_brand(code: &str) -> bool {
    code.starts_with(|c: char| c.is_ascii_uppercase()) && code.bytes().any(|b| b.is_ascii_lowercase())
}

fn is_pronounceable(word: &str) -> bool {
    word.bytes().filter(|b| matches!(b.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u')).count() >= 2
}

fn shape_score(candidate: &CodeCandidate) -> i32 {
    let length = candidate.code.len();
    match candidate.shape {
        CodeShape::Digits if is_year(&candidate.code) => -15,
        CodeShape::Digits | CodeShape::GroupedDigits | CodeShape::SpreadDigits if length == 6 => 12,
        CodeShape::Digits if length > 8 => -5,
        CodeShape::GroupedDigits | CodeShape::SpreadDigits => 10,
        CodeShape::Digits | CodeShape::GroupedMixed => 8,
        CodeShape::Mixed if is_random(&candidate.code) => 4,
        CodeShape::Mixed if is_brand(&candidate.code) => -40,
        CodeShape::Mixed => -12,
        CodeShape::UnevenDigits | CodeShape::GroupedLetters | CodeShape::Letters | CodeShape::Words => 0,
    }
}

/// Returns true if a candidate of this shape may have this name at this distance. Shapes that could be a word or a year
/// need a clear name.
fn may_be_called(candidate: &CodeCandidate, name: CodeName, distance: usize, is_alone: bool) -> bool {
    let is_clear = matches!(name, CodeName::OneTime | CodeName::ForPurpose | CodeName::Confirming);
    match candidate.shape {
        CodeShape::Words => is_clear && is_alone,
        CodeShape::UnevenDigits => is_clear && (distance <= 12 || is_alone),
        CodeShape::GroupedLetters if is_alone && distance == 0 => true,
        CodeShape::GroupedLetters if name == CodeName::Yours && distance <= 12 => !is_pronounceable(&candidate.code),
        CodeShape::Letters | CodeShape::GroupedLetters if !is_clear => is_alone && !is_pronounceable(&candidate.code),
        CodeShape::Letters => is_clear && (distance <= 6 || is_alone) && !is_pronounceable(&candidate.code),
        CodeShape::GroupedLetters => {
            is_clear && (distance <= 12 || is_alone || (distance <= 60 && !is_pronounceable(&candidate.code)))
        }
        CodeShape::Mixed | CodeShape::GroupedMixed if !is_clear => {
            is_alone || distance <= 3 || (name == CodeName::Yours && is_random(&candidate.code) && distance <= 40)
        }
        CodeShape::Mixed if candidate.code.len() == 4 || !is_random(&candidate.code) => {
            is_clear && (distance <= 40 || is_alone)
        }
        CodeShape::Digits if is_year(&candidate.code) => distance <= 12 || is_alone,
        _ => true,
    }
}
