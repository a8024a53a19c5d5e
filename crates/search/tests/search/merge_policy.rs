//! Growth of segments under the merge policy.

use inboxd_search::{MAX_DOCUMENTS, MAX_SEGMENT_BYTES, SegmentSize, select_merge};
use proptest::prelude::*;

/// Adds segments in order and merges whenever the policy selects some.
///
/// Returns the maximum number of segments, the final segments, and the average number of writes of a message.
fn grown(sizes: impl IntoIterator<Item = SegmentSize>) -> (usize, Vec<SegmentSize>, f64) {
    let (mut segments, mut most, mut messages, mut written) = (Vec::new(), 0, 0_u32, 0_u32);
    for size in sizes {
        segments.push(size);
        (messages, written) = (messages + size.documents, written + size.documents);
        while let Some(range) = select_merge(&segments) {
            let merged = segments[range.clone()].iter().fold(SegmentSize { documents: 0, bytes: 0 }, |sum, one| {
                SegmentSize { documents: sum.documents + one.documents, bytes: sum.bytes + one.bytes }
            });
            assert!(range.len() > 1, "a merge makes fewer segments");
            assert!(merged.documents <= u32::from(MAX_DOCUMENTS) && merged.bytes <= MAX_SEGMENT_BYTES);
            written += merged.documents;
            segments.splice(range, [merged]);
        }
        most = most.max(segments.len());
    }
    (most, segments, f64::from(written) / f64::from(messages))
}

fn of(documents: u32) -> SegmentSize {
    SegmentSize { documents, bytes: u64::from(documents) * 700 }
}

#[test]
fn million_messages_form_few_dozen_segments() {
    for flush in [64, 100, 300, 511, 512, 1_000, 4_000] {
        let (most, segments, written) = grown((0..1_000_000 / flush).map(|_| of(flush)));
        assert!(segments.len() <= 60 && most <= 70, "{flush}: {most} segments, at last {segments:?}");
        assert!(written <= 4.5, "{flush}: every message was written {written} times");
    }
}

#[test]
fn single_message_segments_do_not_accumulate() {
    let (most, _, _) = grown((0..100_000).map(|_| of(1)));
    assert!(most <= 40, "{most}");
}

#[test]
fn large_segments_stay_within_byte_limit() {
    let large = SegmentSize { documents: 3, bytes: MAX_SEGMENT_BYTES / 3 };
    let (_, segments, _) = grown((0..100).map(|_| large));
    assert!(segments.len() <= 34 + 3, "{}", segments.len());
}

proptest! {
    #[test]
    fn segment_count_stays_low_for_any_input(sizes in prop::collection::vec(1..4_096_u32, 1..2_000)) {
        let messages: u32 = sizes.iter().sum();
        let (most, _, written) = grown(sizes.into_iter().map(of));
        prop_assert!(most <= 40 + messages as usize / 5_000, "{most} segments of {messages} messages");
        prop_assert!(written <= 5.0, "{written}");
    }
}
