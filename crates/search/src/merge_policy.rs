//! Which segments of an inbox are made one.
//!
//! Segments of about the same size are: so a message is written anew once a level, and a search asks a few segments a level.

use std::ops::Range;

use crate::MAX_DOCUMENTS;

/// How many octets the blocks of a segment that was merged have at most: enough for the most messages of usual texts.
pub const MAX_SEGMENT_BYTES: u64 = 64 << 20;
/// A segment of the first level has fewer messages than this; those of the next have fewer than eight times as many, and
/// so on.
const FIRST_LEVEL_DOCUMENTS: u32 = 512;
const LEVEL_COUNT: u32 = 3;
/// A segment counts for so many messages at least, so that those with fewer do not gather.
const MIN_COUNTED_DOCUMENTS: u32 = 64;

/// How large a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentSize {
    /// Its messages.
    pub documents: u32,
    /// The octets of its blocks.
    pub bytes: u64,
}

/// The segments to merge next, neighbours in the order given, which is that of their times; `None` when there are few
/// enough. The segment made of them is within all caps.
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

/// What a segment that was merged has at most.
const MAX_SEGMENT: SegmentSize = SegmentSize { documents: MAX_DOCUMENTS as u32, bytes: MAX_SEGMENT_BYTES };

/// Whether a segment stays as it is.
fn is_final(segment: SegmentSize) -> bool {
    segment.documents > MAX_SEGMENT.documents / 2 || segment.bytes > MAX_SEGMENT.bytes / 2
}

/// How many of the first segments fit one.
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
