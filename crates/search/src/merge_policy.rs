//! Selection of segments to merge.
//!
//! Segments of similar size are merged. A message is therefore rewritten once a level, and a search reads few segments
//! a level.

use std::ops::Range;

use crate::MAX_DOCUMENTS;

/// Maximum total length in bytes of the blocks of a merged segment; it suffices for [`MAX_DOCUMENTS`] usual texts.
pub const MAX_SEGMENT_BYTES: u64 = 64 << 20;
/// Upper limit of the messages of a first-level segment; each further level has eight times as many.
const FIRST_LEVEL_DOCUMENTS: u32 = 512;
const LEVEL_COUNT: u32 = 3;
/// Minimum number of messages that a segment counts for, so that smaller ones do not accumulate.
const MIN_COUNTED_DOCUMENTS: u32 = 64;

/// Size of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentSize {
    /// Number of messages.
    pub documents: u32,
    /// Length of its blocks in bytes.
    pub bytes: u64,
}

/// Selects the segments to merge next: neighbours in the given order, which is chronological.
///
/// Returns `None` if there are few enough. The merged segment stays within all limits.
#[must_use]
pub fn select_merge(segments: &[SegmentSize]) -> Option<Range<usize>> {
    (0..LEVEL_COUNT).find_map(|level| {
        let bound = (FIRST_LEVEL_DOCUMENTS << (3 * level)).min(MAX_SEGMENT.documents);
        let is_below = |segment: &SegmentSize| !is_final(*segment) && segment.documents < bound;
        let mut begin = 0;
        segments.chunk_by(|one, two| is_below(one) && is_below(two)).find_map(|run| {
            let range = begin..begin + count_fitting(run);
            begin += run.len();
            let whole = total_size(run);
            let is_due = whole.documents >= bound || whole.bytes > MAX_SEGMENT.bytes;
            (is_due && range.len() > 1).then_some(range)
        })
    })
}

/// Maximum size of a merged segment.
const MAX_SEGMENT: SegmentSize = SegmentSize { documents: MAX_DOCUMENTS as u32, bytes: MAX_SEGMENT_BYTES };

/// Returns true if a segment is never merged again.
fn is_final(segment: SegmentSize) -> bool {
    segment.documents > MAX_SEGMENT.documents / 2 || segment.bytes > MAX_SEGMENT.bytes / 2
}

/// Returns the number of leading segments that fit into one.
fn count_fitting(segments: &[SegmentSize]) -> usize {
    let mut sum = SegmentSize { documents: 0, bytes: 0 };
    let fits = |segment: &&SegmentSize| {
        sum = SegmentSize { documents: sum.documents + segment.documents, bytes: sum.bytes + segment.bytes };
        sum.documents <= MAX_SEGMENT.documents && sum.bytes <= MAX_SEGMENT.bytes
    };
    segments.iter().take_while(fits).count()
}

fn total_size(segments: &[SegmentSize]) -> SegmentSize {
    SegmentSize {
        documents: segments.iter().map(|segment| segment.documents.max(MIN_COUNTED_DOCUMENTS)).sum(),
        bytes: segments.iter().map(|segment| segment.bytes).sum(),
    }
}
