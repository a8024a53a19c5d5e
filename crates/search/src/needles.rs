//! Gram ranges of several needles.

use std::cmp::Reverse;

use crate::grams::{GramRange, required_ranges};

/// Gram ranges of several needles: each text with all needles contains at least one gram of every range.
///
/// Each range costs the same lookups in a segment, common ones the longest posting lists. The leading ranges often leave
/// so few messages that checking their texts costs less than the posting lists of the further ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeedleRanges {
    /// Ranges of the longest needle: of two words, the longer one is mostly the rarer.
    pub leading: Vec<GramRange>,
    /// Ranges of the other needles, narrow ones first.
    pub further: Vec<GramRange>,
}

impl NeedleRanges {
    /// Returns at most `limit` ranges of needles in lower case. The further ranges are of the other needles in turn. Without
    /// a needle of at least one character there are none.
    #[must_use]
    pub fn of<'a>(needles: impl IntoIterator<Item = &'a str>, limit: usize) -> Self {
        let mut needles: Vec<&str> = needles.into_iter().collect();
        needles.sort_by_key(|needle| Reverse(needle.chars().count()));
        let mut ranges = needles.into_iter().map(required_ranges);
        let mut leading = ranges.next().unwrap_or_default();
        leading.truncate(limit);
        let mut others: Vec<(usize, GramRange)> = ranges.flat_map(|ranges| ranges.into_iter().enumerate()).collect();
        others.sort_by_key(|(place, range)| (range.last.0 - range.first.0, *place));
        let mut further = Vec::new();
        for (_, range) in others {
            if !leading.contains(&range) && !further.contains(&range) {
                further.push(range);
            }
        }
        further.truncate(limit - leading.len());
        Self { leading, further }
    }
}
