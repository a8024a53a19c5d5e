//! Extraction of verification codes.

use std::collections::HashMap;

use super::code_evidence::CodeEvidence;
use super::passage::{LineWrapping, TextPassage, normalize_text};
use super::shapes::candidates;
use super::{MAX_FINDINGS, MAX_TEXT_BYTES};
use crate::sanitize::truncate;

/// Minimum confidence of a result, in hundredths.
const MIN_CODE_CONFIDENCE: i32 = 30;
/// Maximum gap to the best code of the same message. Beside a named code, another number is only a number.
const MAX_CONFIDENCE_GAP: i32 = 30;
/// Bonus, applied once, for a code that occurs more than once, for instance in subject and text.
const REPETITION_BONUS: i32 = 5;

/// A verification code for entry elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedCode {
    /// The code for entry, without grouping spaces and dashes and without a prefix such as the `G-` of `G-483920`.
    pub code: String,
    /// Confidence in hundredths, 30 to 99.
    pub confidence: u8,
    /// Surrounding text on one line, at most 200 characters.
    pub context: String,
}

/// A code with the best of its positions.
struct FoundCode {
    /// Highest confidence among the positions.
    confidence: i32,
    candidate: usize,
    is_repeated: bool,
}

impl FoundCode {
    fn total(&self) -> i32 {
        self.confidence + REPETITION_BONUS * i32::from(self.is_repeated)
    }
}

/// Extracts at most 10 codes from a subject and a text, the most confident first.
///
/// Of subject and text, the first 128 KiB each are read.
#[must_use]
pub fn extract_codes(subject: Option<&str>, text: &str) -> Vec<ExtractedCode> {
    let subject = truncate(subject.unwrap_or_default(), MAX_TEXT_BYTES);
    let whole = [subject, "\n\n", truncate(text, MAX_TEXT_BYTES)].concat();
    let text = normalize_text(truncate(&whole, 2 * MAX_TEXT_BYTES));
    let candidates = candidates(&text);
    if candidates.is_empty() {
        return Vec::new();
    }
    let passage = TextPassage::of(text, LineWrapping::Wrapped);
    let Some(evidence) = CodeEvidence::of(&passage, &candidates) else {
        return Vec::new();
    };

    let mut found: Vec<FoundCode> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for (number, candidate) in candidates.iter().enumerate() {
        let confidence = evidence.confidence(number);
        if confidence <= 0 {
            continue;
        }
        if let Some(known) = positions.get(candidate.code.as_str()).and_then(|position| found.get_mut(*position)) {
            known.is_repeated = true;
            if confidence > known.confidence {
                known.confidence = confidence;
                known.candidate = number;
            }
        } else {
            positions.insert(&candidate.code, found.len());
            found.push(FoundCode { confidence, candidate: number, is_repeated: false });
        }
    }
    found.sort_by_key(|found| (std::cmp::Reverse(found.total()), found.candidate));
    let highest = found.first().map_or(0, |found| found.total().min(100));
    let threshold = MIN_CODE_CONFIDENCE.max(highest - MAX_CONFIDENCE_GAP);
    found
        .into_iter()
        .filter(|found| found.total() >= threshold)
        .take(MAX_FINDINGS)
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
