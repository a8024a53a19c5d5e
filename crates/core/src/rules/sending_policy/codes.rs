//! Received codes in outgoing text.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;

use crate::rules::trust::folded;

/// Length from which a code with digits is also found inside a word.
const MIN_GLUED_BYTES: usize = 5;

/// Letters and digits of texts, among which codes are searched, whatever stands between them.
#[derive(Debug)]
pub struct WrittenCodes {
    /// Letters and digits in upper case.
    signs: String,
    /// Number of other characters before each byte of `signs`.
    gaps: Vec<u8>,
    /// Maximum of other characters between two signs of a code.
    max_gap: u8,
}

impl WrittenCodes {
    /// Reads texts. A code may have up to `max_gap` other characters between two of its own.
    #[must_use]
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>, max_gap: u8) -> Self {
        let mut found = Self { signs: String::new(), gaps: Vec::new(), max_gap };
        for text in texts {
            // No code goes on in another text.
            let mut gap = u8::MAX;
            for c in folded(text).chars() {
                if !c.is_alphanumeric() {
                    gap = gap.saturating_add(1);
                    continue;
                }
                for sign in c.to_uppercase() {
                    found.gaps.push(std::mem::take(&mut gap));
                    found.signs.push(sign);
                    found.gaps.resize(found.signs.len(), 0);
                }
            }
        }
        found
    }

    /// Returns the places of the codes that the texts contain: as a word, in pieces, or, if it is long enough, inside a
    /// word.
    #[must_use]
    pub fn find(&self, codes: &[&str]) -> BTreeSet<usize> {
        let codes = codes.iter().map(|code| normalized_code(code)).enumerate();
        let codes: Vec<(usize, String)> = codes.filter(|(_, code)| !code.is_empty()).collect();
        let Ok(searcher) = AhoCorasick::new(codes.iter().map(|(_, code)| code)) else {
            return codes.iter().map(|(place, _)| *place).collect();
        };
        let mut found = BTreeSet::new();
        for hit in searcher.find_overlapping_iter(&self.signs) {
            if let Some((place, code)) = codes.get(hit.pattern().as_usize())
                && !found.contains(place)
                && self.is_whole(hit.start(), code)
            {
                found.insert(*place);
            }
        }
        found
    }

    /// Returns whether the signs at `start` are a code and no part of a longer number.
    fn is_whole(&self, start: usize, code: &str) -> bool {
        let end = start + code.len();
        let is_digit =
            |at: Option<usize>| at.and_then(|at| self.signs.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
        let may_be_glued = code.len() >= MIN_GLUED_BYTES && code.bytes().any(|byte| byte.is_ascii_digit());
        // Digits without a gap are one number.
        let is_edge = |at: usize| {
            let is_gap = self.gaps.get(at).is_none_or(|gap| *gap > 0);
            is_gap || (may_be_glued && !(is_digit(at.checked_sub(1)) && is_digit(Some(at))))
        };
        let is_near = |gap: &u8| *gap <= self.max_gap;
        self.gaps.get(start + 1..end).is_some_and(|gaps| gaps.iter().all(is_near)) && is_edge(start) && is_edge(end)
    }
}

/// Returns a code in upper case without separators.
fn normalized_code(code: &str) -> String {
    code.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_as_words_in_pieces_and_in_words() {
        for (text, code, is_found) in [
            ("the code is 482913.", "482913", true),
            ("482 913", "482913", true),
            ("482-913", "482913", true),
            ("4 8 2 9 1 3", "482913", true),
            ("48291-3", "482913", true),
            ("482,913", "482913", true),
            ("482  913", "482913", true),
            ("482/913", "482913", true),
            ("482_913", "482913", true),
            ("482\n\n913", "482913", true),
            ("482 | 913", "482913", true),
            ("c482913", "482913", true),
            ("482913x", "482913", true),
            ("x+482913@a.example", "482913", true),
            ("４８２９１３", "482913", true),
            ("it is ab-12cd", "AB12CD", true),
            ("482913", "482-913", true),
            ("WDJB-MJHT", "WDJB-MJHT", true),
            ("wdjb mjht", "WDJBMJHT", true),
            ("order 14829130", "482913", false),
            ("482 one 913", "482913", false),
            ("482      913", "482913", false),
            ("a2024b", "2024", false),
            ("2024", "2024", true),
            ("meet at tenants", "ATTEN", false),
            ("4829", "482913", false),
            ("", "482913", false),
            ("no codes", "", false),
        ] {
            let found = WrittenCodes::of([text].into_iter(), 4).find(&["none1", code]);
            assert_eq!(found, BTreeSet::from_iter(is_found.then_some(1)), "{text} {code}");
        }
        let apart = WrittenCodes::of(["482", "913"].into_iter(), 4);
        assert!(apart.find(&["482913"]).is_empty(), "texts stay apart");
        let distant = WrittenCodes::of(["482  913"].into_iter(), 1);
        assert!(distant.find(&["482913"]).is_empty(), "the gap is too long");
        let several = WrittenCodes::of(["1234567 4567"].into_iter(), 4);
        assert_eq!(several.find(&["4567", "1234567", "2345"]), BTreeSet::from([0, 1]));
    }
}
