//! Verification codes.

use std::collections::HashMap;

use super::code_evidence::Evidence;
use super::passage::{Lines, Passage, even};
use super::shapes::candidates;
use super::{MOST_FINDINGS, MOST_TEXT};
use crate::clean::truncate;

/// What is less sure is not given.
const LEAST_CONFIDENCE: i32 = 30;
/// What is so much less sure than the surest of the same mail is not given either: beside a code that is named as one,
/// another number is but a number.
const WIDEST_DISTANCE: i32 = 30;
/// What it adds to a code, once, that the mail says it again, as in its subject and in its text.
const FOR_REPETITION: i32 = 5;

/// A code that a mail hands over for typing in elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedCode {
    /// The code as it is typed in: without the spaces and dashes that only group it, and without a prefix such as the
    /// `G-` of `G-483920`.
    pub code: String,
    /// How sure it is, in hundredths: 30 to 99: nothing below is given.
    pub confidence: u8,
    /// The text around it, on one line, at most 200 characters.
    pub context: String,
}

/// A code that was found, wherever it stands.
struct Found {
    /// That of the place where it is surest.
    sureness: i32,
    candidate: usize,
    is_repeated: bool,
}

impl Found {
    fn total(&self) -> i32 {
        self.sureness + FOR_REPETITION * i32::from(self.is_repeated)
    }
}

/// The codes of a mail with this subject and this text, the surest first, at most 10. The first 128 KiB are read.
#[must_use]
pub fn extract_codes(subject: Option<&str>, text: &str) -> Vec<ExtractedCode> {
    let subject = truncate(subject.unwrap_or_default(), MOST_TEXT);
    let whole = [subject, "\n\n", truncate(text, MOST_TEXT)].concat();
    let text = even(truncate(&whole, 2 * MOST_TEXT));
    let candidates = candidates(&text);
    if candidates.is_empty() {
        return Vec::new();
    }
    let passage = Passage::of(text, Lines::Broken);
    let Some(evidence) = Evidence::of(&passage, &candidates) else {
        return Vec::new();
    };

    let mut found: Vec<Found> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (number, candidate) in candidates.iter().enumerate() {
        let sureness = evidence.sureness(number);
        if sureness <= 0 {
            continue;
        }
        if let Some(known) = places.get(candidate.code.as_str()).and_then(|place| found.get_mut(*place)) {
            known.is_repeated = true;
            if sureness > known.sureness {
                known.sureness = sureness;
                known.candidate = number;
            }
        } else {
            places.insert(&candidate.code, found.len());
            found.push(Found { sureness, candidate: number, is_repeated: false });
        }
    }
    found.sort_by_key(|found| (std::cmp::Reverse(found.total()), found.candidate));
    let surest = found.first().map_or(0, |found| found.total().min(100));
    let enough = LEAST_CONFIDENCE.max(surest - WIDEST_DISTANCE);
    found
        .into_iter()
        .filter(|found| found.total() >= enough)
        .take(MOST_FINDINGS)
        .filter_map(|found| {
            let candidate = candidates.get(found.candidate)?;
            Some(ExtractedCode {
                code: candidate.code.clone(),
                confidence: u8::try_from(found.total().clamp(1, 99)).unwrap_or(99),
                context: passage.context(candidate.range.clone()),
            })
        })
        .collect()
}
