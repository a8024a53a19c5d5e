//! What speaks for a number being a verification code, and what against it.

use std::ops::Range;
use std::sync::LazyLock;

use super::code_words::{CODE_WORDS, CodeWord};
use super::lexicon::{Hit, Lexicon, Said, within};
use super::passage::Passage;
use super::shapes::{Candidate, Shape, is_year};

static LEXICON: LazyLock<Lexicon<CodeWord>> = LazyLock::new(|| Lexicon::new(CODE_WORDS));

/// How many sentences above a code that stands alone are searched for its name.
const SENTENCES_ABOVE: usize = 4;
/// How many below.
const SENTENCES_BELOW: usize = 2;
/// The longest line, in octets, that is a heading over what follows.
const LONGEST_HEADING: usize = 80;
/// How far from the word "code" a word tells, in octets, what the code is for.
const REACH_OF_PURPOSE: usize = 100;
/// How far a name reaches within its sentence, in octets.
const REACH_OF_NAME: usize = 200;
/// How far it reaches back to a number that the sentence starts with: "483920 is your code".
const REACH_BEHIND: usize = 60;
/// How many signs, in octets, there may be between a thing and its number: "Order no. #".
const REACH_OF_THING: usize = 4;
/// How far off, in octets, a word may be that tells to enter the number.
const REACH_OF_ENTERING: usize = 24;
/// How many candidates are passed over in search of the next number.
const NEIGHBOURS: usize = 8;
/// So many numbers alone on their lines are a list, and none of them is the code.
const LIST: usize = 4;

/// A text with everything that is known of it as a whole.
pub(super) struct Evidence<'a> {
    passage: &'a Passage,
    candidates: &'a [Candidate],
    hits: Vec<Hit<CodeWord>>,
    whole: Said,
    /// Something in the text names a code for proving who one is.
    names_code: bool,
    is_list: bool,
}

/// What a number is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
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

impl<'a> Evidence<'a> {
    pub(super) fn new(passage: &'a Passage, candidates: &'a [Candidate]) -> Self {
        let hits = LEXICON.hits(&passage.lower);
        let whole = Said::of(&hits);
        let mut evidence = Self { passage, candidates, hits, whole, names_code: false, is_list: false };
        evidence.names_code = evidence
            .hits
            .iter()
            .any(|hit| matches!(evidence.name(hit), Some(Name::OneTime | Name::ForPurpose | Name::Confirming)));
        evidence.is_list = (0..candidates.len()).filter(|number| evidence.is_alone(*number)).nth(LIST - 1).is_some();
        evidence
    }

    /// How sure it is that a candidate is a code, in hundredths; it can be beyond both ends.
    pub(super) fn sureness(&self, number: usize) -> i32 {
        let Some(candidate) = self.candidates.get(number) else {
            return 0;
        };
        let range = &candidate.range;
        if self.is_counted(range) || self.has(CodeWord::Recovery) {
            return 0;
        }
        let is_alone = self.is_alone(number);
        let (name, distance) = match self.name_around(number, is_alone) {
            Some((Name::Other, _)) => return 0,
            Some((Name::Bare, distance)) if self.is_entered(range) => (Name::Yours, distance),
            Some(found) => found,
            None if is_alone && self.stands_for_itself() => return form(candidate) + 35,
            None => return 0,
        };
        if !may_be_called(candidate, name, distance, is_alone) {
            return 0;
        }
        let is_bought = self.has(CodeWord::Trade);
        let is_cheap = self.has(CodeWord::Promotion);
        let mut sureness = match name {
            Name::OneTime => 64,
            Name::ForPurpose => 60,
            Name::Confirming if is_bought => -5,
            Name::Confirming => 56,
            Name::Yours if is_bought || is_cheap => -10,
            Name::Yours => 34,
            _ if is_bought || is_cheap => -20,
            _ if !self.has(CodeWord::Care) && !self.has(CodeWord::Purpose) => 6,
            _ => 20,
        };
        sureness += match distance {
            0..=12 => 10,
            13..=40 => 6,
            41..=120 => 0,
            _ => -15,
        };
        sureness += 12 * i32::from(is_alone);
        sureness += 8 * i32::from(self.has(CodeWord::Care));
        sureness += 5 * i32::from(self.has(CodeWord::Purpose) || self.has(CodeWord::OneTime));
        sureness -= 70 * i32::from(self.has(CodeWord::Meeting));
        sureness -= 70 * i32::from(self.has(CodeWord::Technical));
        sureness -= 50 * i32::from(self.is_household(range));
        sureness + form(candidate)
    }

    fn has(&self, meaning: CodeWord) -> bool {
        self.whole.has(meaning)
    }

    /// A number alone on its line whose name stands elsewhere in the mail.
    fn stands_for_itself(&self) -> bool {
        let is_other = self.has(CodeWord::Promotion) || self.has(CodeWord::Trade) || self.has(CodeWord::Meeting);
        let is_awaited = self.has(CodeWord::Care) && self.has(CodeWord::Purpose);
        !self.is_list && !is_other && (self.names_code || is_awaited)
    }

    /// Whether a word says what the number counts, or what thing it is the number of.
    fn is_counted(&self, range: &Range<usize>) -> bool {
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
                && gap.len() <= REACH_OF_THING
                && !gap.contains(|c: char| c.is_alphanumeric() || c == '\n' || c == ':' || c == '：')
        });
        is_unit || is_numbered || self.is_masked(range)
    }

    fn hits_end(&self, from: usize) -> usize {
        self.passage.lower.len().min(from + 24)
    }

    /// Whether it is but the end of a number whose start is hidden: `•••• 4432`, `**4432`.
    fn is_masked(&self, range: &Range<usize>) -> bool {
        let before = self.passage.text.get(..range.start).unwrap_or_default();
        let behind = self.passage.text.get(range.end..).unwrap_or_default();
        let is_bold = behind.starts_with('*');
        before.trim_end_matches(' ').ends_with(['•', '●', '∙', '·']) || (before.ends_with("**") && !is_bold)
    }

    /// Whether nothing else is said in the sentence.
    fn is_alone(&self, number: usize) -> bool {
        let Some(range) = self.candidates.get(number).map(|candidate| &candidate.range) else {
            return false;
        };
        let (before, behind) = self.sentence_around(range);
        let says = |range| self.passage.slice(range).contains(char::is_alphanumeric);
        !says(before..range.start) && !says(range.end..behind)
    }

    /// Where the sentence starts and ends that a range lies in; a code in several lines lies in several.
    fn sentence_around(&self, range: &Range<usize>) -> (usize, usize) {
        let first = self.passage.sentences.get(self.passage.sentence_at(range.start));
        let last = self.passage.sentences.get(self.passage.sentence_at(range.end.saturating_sub(1)));
        (first.map_or(range.start, |first| first.start), last.map_or(range.end, |last| last.end.max(range.end)))
    }

    /// What a hit alone calls a number.
    fn name(&self, hit: &Hit<CodeWord>) -> Option<Name> {
        let name = match hit.meaning {
            CodeWord::OneTime => return Some(Name::OneTime),
            CodeWord::OtherNumber => return Some(Name::Other),
            CodeWord::Code => Name::Bare,
            CodeWord::YourCode => Name::Yours,
            _ => return None,
        };
        if self.is_compound_of_other(hit) {
            return Some(Name::Other);
        }
        let (start, end) = self.sentence_around(&(hit.start..hit.end));
        let start = start.max(hit.start.saturating_sub(REACH_OF_PURPOSE));
        let around = within(&self.hits, start, end.min(hit.end + REACH_OF_PURPOSE));
        let said = Said::of(around);
        Some(match name {
            _ if said.has(CodeWord::Purpose) || said.has(CodeWord::OneTime) => Name::ForPurpose,
            _ if said.has(CodeWord::Confirmation) => Name::Confirming,
            name => name,
        })
    }

    /// Whether the hit is but the end of a word whose start says nothing of proving who one is: "Kundencode".
    fn is_compound_of_other(&self, hit: &Hit<CodeWord>) -> bool {
        let before = self.passage.lower.get(..hit.start).unwrap_or_default();
        let rest = before.trim_end_matches(|c: char| c.is_alphabetic() && !is_particle(c));
        let known = |meaning| {
            matches!(meaning, CodeWord::Purpose | CodeWord::Confirmation | CodeWord::Code | CodeWord::OneTime)
        };
        let starts = self.hits.partition_point(|part| part.start < rest.len());
        let parts = self.hits.get(starts..).unwrap_or_default().iter().take_while(|part| part.start < hit.start);
        let is_known = || parts.into_iter().any(|part| known(part.meaning));
        rest.len() < before.len() && !is_known()
    }

    /// What the words around call the number, and how far off they are in octets.
    fn name_around(&self, number: usize, is_alone: bool) -> Option<(Name, usize)> {
        let range = &self.candidates.get(number)?.range;
        let (start, end) = self.sentence_around(range);
        if let Some(found) = self.name_before(number, start) {
            return Some(found);
        }
        let starts_sentence = !self.passage.slice(start..range.start).contains(char::is_alphanumeric);
        let reach = if starts_sentence { REACH_BEHIND } else { REACH_BEHIND / 2 };
        if let Some(found) = self.name_behind(number, end.min(range.end + reach)) {
            return Some(found);
        }
        if self.is_entered(range) && (self.has(CodeWord::Care) || self.has_purpose(start, end)) {
            return Some((Name::Yours, 0));
        }
        match (is_alone, starts_sentence) {
            (true, _) => self.name_above(range).or_else(|| self.name_below(range)),
            (false, true) => self.heading(range),
            _ => None,
        }
    }

    fn name_before(&self, number: usize, start: usize) -> Option<(Name, usize)> {
        let range = &self.candidates.get(number)?.range;
        let before = self.candidates.get(..number).unwrap_or_default();
        let other =
            before.iter().rev().take(NEIGHBOURS).find(|other| is_number(other) && !self.is_counted(&other.range));
        let start = start.max(other.map_or(0, |other| other.range.end)).max(range.start.saturating_sub(REACH_OF_NAME));
        within(&self.hits, start, range.start)
            .iter()
            .rev()
            .find_map(|hit| Some((self.name(hit)?, range.start.saturating_sub(hit.end))))
    }

    fn has_purpose(&self, start: usize, end: usize) -> bool {
        let said = Said::of(within(&self.hits, start, end));
        said.has(CodeWord::Purpose) || said.has(CodeWord::Confirmation)
    }

    /// Whether the reader is told to enter just this.
    fn is_entered(&self, range: &Range<usize>) -> bool {
        within(&self.hits, range.start.saturating_sub(REACH_OF_ENTERING), range.start)
            .iter()
            .any(|hit| hit.meaning == CodeWord::Enter && !self.passage.slice(hit.end..range.start).contains('\n'))
    }

    fn name_behind(&self, number: usize, end: usize) -> Option<(Name, usize)> {
        let range = &self.candidates.get(number)?.range;
        let behind = self.candidates.get(number + 1..).unwrap_or_default();
        let other = behind.iter().take(NEIGHBOURS).find(|other| is_number(other) && !self.is_counted(&other.range));
        let end = end.min(other.map_or(usize::MAX, |other| other.range.start));
        within(&self.hits, range.end, end)
            .iter()
            .find_map(|hit| Some((self.name(hit)?, hit.start.saturating_sub(range.end))))
    }

    /// The name in the sentences above a number that stands alone; a heading may call it something else.
    fn name_above(&self, range: &Range<usize>) -> Option<(Name, usize)> {
        let at = self.passage.sentence_at(range.start);
        let above = self.passage.sentences.get(at.saturating_sub(SENTENCES_ABOVE)..at)?;
        for (distance, sentence) in above.iter().rev().enumerate() {
            if self.has_number(sentence) {
                return None;
            }
            let mut names =
                within(&self.hits, sentence.start, sentence.end).iter().rev().filter_map(|hit| self.name(hit));
            match names.next() {
                Some(Name::Other) if sentence.len() > LONGEST_HEADING || distance > 0 => {}
                Some(name) => return Some((name, distance * 10)),
                None => {}
            }
        }
        None
    }

    /// Whether a number stands in a sentence, which has the names there to itself.
    fn has_number(&self, sentence: &Range<usize>) -> bool {
        let from = self.candidates.partition_point(|candidate| candidate.range.start < sentence.start);
        let inside = self.candidates.get(from..).unwrap_or_default().iter();
        inside
            .take_while(|candidate| candidate.range.start < sentence.end)
            .take(NEIGHBOURS)
            .any(|candidate| is_number(candidate) && !is_year(&candidate.code) && !self.is_counted(&candidate.range))
    }

    fn name_below(&self, range: &Range<usize>) -> Option<(Name, usize)> {
        let at = self.passage.sentence_at(range.end.saturating_sub(1)) + 1;
        let below = self.passage.sentences.get(at..)?.iter().take(SENTENCES_BELOW);
        let names = |sentence: &Range<usize>| within(&self.hits, sentence.start, sentence.end);
        below.enumerate().find_map(|(distance, sentence)| {
            let name = names(sentence).iter().find_map(|hit| self.name(hit)).filter(|name| *name != Name::Other)?;
            Some((name, distance * 10))
        })
    }

    /// The name that a heading gives to a line that starts with the number.
    fn heading(&self, range: &Range<usize>) -> Option<(Name, usize)> {
        let at = self.passage.sentence_at(range.start).checked_sub(1)?;
        let sentence = self.passage.sentences.get(at).filter(|sentence| sentence.len() <= LONGEST_HEADING)?;
        let words = within(&self.hits, sentence.start, sentence.end);
        let ends = self.passage.slice(sentence.clone()).trim_end().ends_with(['.', '!', '?', '。', '！', '？']);
        if ends || words.iter().any(|hit| hit.meaning == CodeWord::Care) {
            return None;
        }
        Some((words.iter().rev().find_map(|hit| self.name(hit))?, 20))
    }

    fn is_household(&self, range: &Range<usize>) -> bool {
        let (start, end) = self.sentence_around(range);
        let start = start.max(range.start.saturating_sub(REACH_OF_NAME));
        Said::of(within(&self.hits, start, end.min(range.end + REACH_OF_NAME))).has(CodeWord::Household)
    }
}

/// Whether a name before the candidate is its own, and none of what stands behind it: brands are written in capitals,
/// and with digits too.
fn is_number(candidate: &Candidate) -> bool {
    match candidate.shape {
        Shape::Letters | Shape::GroupedLetters | Shape::Words => false,
        Shape::Mixed => !candidate.code.bytes().any(|b| b.is_ascii_lowercase()),
        _ => true,
    }
}

/// Hiragana: what stands before them is a word of its own.
fn is_particle(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}

/// Letters and digits in turn, as a generator throws them; "SAVE20" is made by a person.
fn is_random(code: &str) -> bool {
    let kinds: Vec<bool> = code.bytes().map(|b| b.is_ascii_digit()).collect();
    kinds.iter().zip(kinds.iter().skip(1)).filter(|(one, next)| one != next).count() >= 2
}

/// A name that ends in a number: "Office365".
fn is_brand(code: &str) -> bool {
    code.starts_with(|c: char| c.is_ascii_uppercase()) && code.bytes().any(|b| b.is_ascii_lowercase())
}

fn is_pronounceable(word: &str) -> bool {
    word.bytes().filter(|b| matches!(b.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u')).count() >= 2
}

fn form(candidate: &Candidate) -> i32 {
    let length = candidate.code.len();
    match candidate.shape {
        Shape::Digits if is_year(&candidate.code) => -15,
        Shape::Digits | Shape::GroupedDigits | Shape::SpreadDigits if length == 6 => 12,
        Shape::Digits if length > 8 => -5,
        Shape::GroupedDigits | Shape::SpreadDigits => 10,
        Shape::Digits | Shape::GroupedMixed => 8,
        Shape::Mixed if is_random(&candidate.code) => 4,
        Shape::Mixed if is_brand(&candidate.code) => -40,
        Shape::Mixed => -12,
        Shape::GroupedLetters | Shape::Letters | Shape::Words => 0,
    }
}

/// Whether a candidate of this shape can have been given this name at this distance: what may as well be a word or a
/// year has to be named clearly.
fn may_be_called(candidate: &Candidate, name: Name, distance: usize, is_alone: bool) -> bool {
    let is_clear = matches!(name, Name::OneTime | Name::ForPurpose | Name::Confirming);
    match candidate.shape {
        Shape::Words => is_clear && is_alone,
        Shape::GroupedLetters if is_alone && distance == 0 => true,
        Shape::Letters | Shape::GroupedLetters if !is_clear => is_alone && !is_pronounceable(&candidate.code),
        Shape::Letters => is_clear && (distance <= 6 || is_alone) && !is_pronounceable(&candidate.code),
        Shape::GroupedLetters => {
            is_clear && (distance <= 12 || is_alone || (distance <= 60 && !is_pronounceable(&candidate.code)))
        }
        Shape::Mixed | Shape::GroupedMixed if !is_clear => name == Name::Yours && (distance <= 12 || is_alone),
        Shape::Mixed if candidate.code.len() == 4 || !is_random(&candidate.code) => {
            is_clear && (distance <= 40 || is_alone)
        }
        Shape::Digits if is_year(&candidate.code) => distance <= 12 || is_alone,
        _ => true,
    }
}
