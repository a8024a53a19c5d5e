//! Verification codes.

use super::code_evidence::Evidence;
use super::passage::Passage;
use super::shapes::candidates;
use super::{MOST_FINDINGS, MOST_TEXT};
use crate::clean::truncate;

/// What is less sure is not given.
const LEAST_CONFIDENCE: i32 = 30;
/// What is so much less sure than the surest of the same mail is not given either: beside a code that is named as one,
/// another number is but a number.
const WIDEST_DISTANCE: i32 = 30;
/// What it adds to a code that the mail says it again, as in its subject and in its text.
const FOR_REPETITION: i32 = 6;

/// A code that a mail hands over for typing in elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedCode {
    /// The code as it is typed in: without the spaces and dashes that only group it, and without a prefix such as the
    /// `G-` of `G-483920`.
    pub code: String,
    /// How sure it is, in hundredths: 1 to 100.
    pub confidence: u8,
    /// The text around it, on one line, at most 200 characters.
    pub context: String,
}

/// The codes of a mail with this subject and this text, the surest first, at most 10. The first 128 KiB are read.
#[must_use]
pub fn extract_codes(subject: Option<&str>, text: &str) -> Vec<ExtractedCode> {
    let subject = subject.unwrap_or_default();
    let passage = Passage::new(&[subject, "\n\n", truncate(text, MOST_TEXT)].concat(), 2 * MOST_TEXT);
    let candidates = candidates(&passage.text);
    if candidates.is_empty() {
        return Vec::new();
    }
    let evidence = Evidence::new(&passage, &candidates);

    let mut found: Vec<(i32, usize)> = Vec::new();
    for (number, candidate) in candidates.iter().enumerate() {
        let sureness = evidence.sureness(number);
        let same = found.iter_mut().find(|(_, other)| candidates.get(*other).is_some_and(|c| c.code == candidate.code));
        match same {
            Some(known) if sureness > known.0 => *known = (sureness + FOR_REPETITION, number),
            Some(known) => known.0 += FOR_REPETITION * i32::from(sureness > 0),
            None if sureness > 0 => found.push((sureness, number)),
            None => {}
        }
    }
    found.sort_by_key(|&(sureness, number)| (std::cmp::Reverse(sureness), number));
    let surest = found.first().map_or(0, |(sureness, _)| (*sureness).min(100));
    let enough = LEAST_CONFIDENCE.max(surest - WIDEST_DISTANCE);
    found
        .into_iter()
        .filter(|(sureness, _)| *sureness >= enough)
        .take(MOST_FINDINGS)
        .filter_map(|(sureness, number)| {
            let candidate = candidates.get(number)?;
            Some(ExtractedCode {
                code: candidate.code.clone(),
                confidence: u8::try_from(sureness.clamp(1, 99)).unwrap_or(99),
                context: passage.context(candidate.range.clone()),
            })
        })
        .collect()
}
