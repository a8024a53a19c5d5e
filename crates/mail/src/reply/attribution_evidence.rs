//! Elements of an attribution line: date, time of day, address, verb.

use super::lines::MAX_MONTH_BYTES;
use super::words::verbs;

/// Elements found in one line or in several joined lines.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own")]
pub(crate) struct AttributionEvidence {
    /// True for a year or a day in digits.
    pub(crate) has_day: bool,
    /// True for a time of day.
    pub(crate) has_clock: bool,
    pub(crate) has_address: bool,
    /// True if the time, in brackets, is the last element before the colon.
    pub(crate) ends_with_time: bool,
    /// True if the address is the last element before the colon.
    pub(crate) ends_with_address: bool,
    /// True for `wrote` in a known language.
    pub(crate) has_verb: bool,
    /// True if the text starts with an opening word and has a date soon after.
    pub(crate) opens: bool,
    /// True if the text starts with an opening word.
    pub(crate) opens_weakly: bool,
    /// True if a number is among the first two words.
    pub(crate) starts_with_number: bool,
    /// True if the text ends with a colon or within dashes.
    pub(crate) is_closed: bool,
    /// True if the text is in the first person.
    pub(crate) is_first_person: bool,
}

impl AttributionEvidence {
    /// Reads the elements of folded text.
    pub(crate) fn of(folded: &str) -> Self {
        let trimmed = folded.trim_matches([' ', '-', '_', '|', '=']);
        let is_dashed = folded.starts_with("--") && folded.ends_with("--");
        let text = trimmed.trim_end_matches([':', ' ']);
        let mut found =
            Self { is_closed: is_dashed || trimmed.ends_with(':'), has_address: has_address(text), ..Self::default() };
        let bracketed = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
        found.ends_with_time = bracketed.is_some_and(|(_, inner)| time(inner) == (true, true));
        found.ends_with_address = text.rsplit(' ').next().is_some_and(has_address);
        (found.has_day, found.has_clock) = time(text);
        found.read_words(text);
        // A date without a year: `20 Nov at 10:04`.
        found.has_day |= found.opens && found.has_clock && found.has_address && has_day_of_month(text);
        found.opens &= found.has_day;
        found.has_verb |= !trimmed.is_ascii() && verbs::UNSPACED_VERBS.iter().any(|verb| trimmed.contains(verb));
        found
    }

    /// Returns true if this evidence has an element that the other lacks.
    pub(crate) fn adds_to(self, other: Self) -> bool {
        let pieces = |evidence: Self| {
            let Self { has_day, has_clock, has_address, has_verb, opens, opens_weakly, .. } = evidence;
            [has_day, has_clock, has_address, has_verb, opens, opens_weakly]
        };
        pieces(self).iter().zip(pieces(other)).any(|(own, of_other)| *own && !of_other)
    }

    fn read_words(&mut self, text: &str) {
        let separators =
            |c: char| c.is_whitespace() || matches!(c, ',' | ':' | ';' | '<' | '>' | '"' | '«' | '»' | '[' | ']');
        let words = text.split(separators).filter(|word| !word.is_empty());
        let mut is_weak = false;
        let mut is_first_person = false;
        for (at, word) in words.enumerate() {
            let is_number = word.bytes().any(|b| b.is_ascii_digit());
            self.opens_weakly |= at == 0 && verbs::is_opener(word);
            self.starts_with_number |= at < 2 && is_number;
            self.opens |= self.opens_weakly && at < 6 && is_number;
            self.has_verb |= verbs::is_verb(word);
            is_weak |= verbs::is_weak_verb(word);
            // The last word is excluded: in `napisao je` it is part of the verb.
            self.is_first_person |= is_first_person;
            is_first_person |= verbs::is_first_person(word);
        }
        self.has_verb |= is_weak && (self.has_day || self.has_address);
    }
}

/// Returns true if a possible day number is next to a possible month name.
fn has_day_of_month(text: &str) -> bool {
    let is_day = |word: &str| word.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day));
    let is_month = |word: &str| (3..=MAX_MONTH_BYTES).contains(&word.len()) && word.chars().all(char::is_alphabetic);
    let words = || text.split_whitespace().map(|word| word.trim_end_matches(['.', ',']));
    words().zip(words().skip(1)).any(|(a, b)| (is_day(a) && is_month(b)) || (is_month(a) && is_day(b)))
}

fn has_address(text: &str) -> bool {
    let is_of_name = |b: u8| b.is_ascii_alphanumeric() || b >= 0x80 || matches!(b, b'_' | b'-' | b'+' | b'.' | b'=');
    memchr::memchr_iter(b'@', text.as_bytes()).any(|at| {
        let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before));
        let behind = text.as_bytes().get(at + 1).filter(|&&b| b != b' ').or_else(|| text.as_bytes().get(at + 2));
        before.is_some_and(|b| is_of_name(*b)) && behind.is_some_and(|b| is_of_name(*b))
    })
}

/// Returns whether the text contains a date, and whether it contains a time of day.
fn time(text: &str) -> (bool, bool) {
    let (mut day, mut clock) = (false, false);
    // Length of the previous number, and the separator between both numbers.
    let mut previous: Option<(usize, char)> = None;
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        if at > 0 {
            previous = None;
        }
        let from = rest.get(at..).unwrap_or_default();
        let len = from.bytes().take_while(u8::is_ascii_digit).count();
        let number = from.get(..len).unwrap_or_default();
        let behind = from.get(len..).unwrap_or_default();
        let next = behind.chars().next().unwrap_or(' ');
        day |= len == 4
            && (number.starts_with("19") || number.starts_with("20"))
            && previous.is_none_or(|(_, c)| c != ':');
        day |= len <= 2 && matches!(next, '日' | '月' | '일' | '월');
        clock |= len <= 2 && matches!(next, '時' | '时' | '點' | '点' | '시');
        if let Some((length, between)) = previous {
            clock |= length <= 2 && len == 2 && matches!(between, ':' | 'h' | '.');
            day |= length <= 2 && len <= 2 && matches!(between, '/' | '.') && matches!(next, '/' | '.');
            day |= length <= 2 && len <= 2 && between == '/';
        }
        let is_joined = matches!(next, ':' | 'h' | '.' | '/' | '-');
        rest = if is_joined { behind.get(1..).unwrap_or_default() } else { behind };
        previous = is_joined.then_some((len, next));
    }
    (day, clock)
}
