//! Which segments of an inbox are made one.
//!
//! Segments of about the same size are: so a message is written anew once a level, and a search asks a few segments a level.

use std::ops::Range;

use crate::MOST_DOCUMENTS;

/// How many octets the blocks of a segment that was merged have at most: enough for the most messages of usual texts.
pub const MOST_SEGMENT_OCTETS: u64 = 64 << 20;
/// A segment of the first level has fewer messages than this; those of the next have fewer than eight times as many, and
/// so on.
const FIRST_LEVEL: u32 = 512;
const LEVELS: u32 = 3;
/// A segment counts for so many messages at least, so that those with fewer do not gather.
const LEAST: u32 = 64;

/// How large a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentSize {
    /// Its messages.
    pub documents: u32,
    /// The octets of its blocks.
    pub octets: u64,
}

/// The segments to merge next, neighbours in the order given, which is that of their times; `None` when there are few
/// enough. The segment made of them is within all caps.
#[must_use]
pub fn to_merge(segments: &[SegmentSize]) -> Option<Range<usize>> {
    (0..LEVELS).find_map(|level| {
        let bound = (FIRST_LEVEL << (3 * level)).min(MOST.documents);
        let is_below = |segment: &SegmentSize| !is_full(*segment) && segment.documents < bound;
        let mut begin = 0;
        segments.chunk_by(|one, two| is_below(one) && is_below(two)).find_map(|run| {
            let range = begin..begin + fitting(run);
            begin += run.len();
            let whole = total(run);
            let is_due = whole.documents >= bound || whole.octets > MOST.octets;
            (is_due && range.len() > 1).then_some(range)
        })
    })
}

/// What a segment that was merged has at most.
const MOST: SegmentSize = SegmentSize { documents: MOST_DOCUMENTS as u32, octets: MOST_SEGMENT_OCTETS };

/// Whether a segment stays as it is.
fn is_full(segment: SegmentSize) -> bool {
    segment.documents > MOST.documents / 2 || segment.octets > MOST.octets / 2
}

/// How many of the first segments fit one.
fn fitting(segments: &[SegmentSize]) -> usize {
    let mut sum = SegmentSize { documents: 0, octets: 0 };
    let fits = |segment: &&SegmentSize| {
        sum = SegmentSize { documents: sum.documents + segment.documents, octets: sum.octets + segment.octets };
        sum.documents <= MOST.documents && sum.octets <= MOST.octets
    };
    segments.iter().take_while(fits).count()
}

fn total(segments: &[SegmentSize]) -> SegmentSize {
    SegmentSize {
        documents: segments.iter().map(|segment| segment.documents.max(LEAST)).sum(),
        octets: segments.iter().map(|segment| segment.octets).sum(),
    }
}
