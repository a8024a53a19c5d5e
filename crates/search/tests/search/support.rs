//! Colliding texts, and a block table that selects like the database.

use inboxd_search::{Block, Document, DocumentSet, GramRange, SegmentProbe, required_ranges};
use proptest::prelude::*;

/// Generates texts of few letters in several scripts, so that most needles match or nearly match.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab c]{0,40}",
        "[a-z0-9 .,\n]{0,300}",
        "[абвгде ]{0,60}",
        "[日本語中文 ]{0,20}",
        "[\u{80}\u{400}\u{780}\u{b00}a]{0,30}",
        any::<String>(),
    ]
    .prop_map(|text| text.to_lowercase())
}

/// Generates the texts of a segment.
pub(crate) fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 1..60)
}

/// Returns the candidates for a needle from the blocks that a table would select by first gram.
pub(crate) fn candidates(blocks: &[Block], count: usize, needle: &str) -> Vec<Document> {
    probe(blocks, count, &required_ranges(needle)).newest_first().collect()
}

/// Returns the messages with a gram of each range from the blocks that a table would select.
pub(crate) fn probe(blocks: &[Block], count: usize, ranges: &[GramRange]) -> DocumentSet {
    let mut probe = SegmentProbe::new(ranges, Document::try_from(count).unwrap());
    for (place, range) in ranges.iter().enumerate() {
        let behind = blocks.partition_point(|block| block.first_gram <= range.first);
        let end = blocks.partition_point(|block| block.first_gram <= range.last);
        for block in &blocks[behind.saturating_sub(1)..end] {
            probe.read_block(place, &block.bytes).unwrap();
        }
    }
    probe.candidates()
}

/// Returns the positions of the texts with the needle, newest first.
pub(crate) fn holders(texts: &[String], needle: &str) -> Vec<Document> {
    let holds = |(place, text): (usize, &String)| text.contains(needle).then(|| Document::try_from(place).unwrap());
    texts.iter().enumerate().rev().filter_map(holds).collect()
}
