//! Substring index: finds the messages that may contain a text.
//!
//! Messages are indexed in segments of up to [`MAX_DOCUMENTS`]. For every four consecutive characters, a [`Gram`], a
//! segment has a posting list of its messages that contain them. The lists are packed into blocks of a few thousand
//! bytes, ordered by gram, and each block is one row of a table. [`build`] creates them from texts, a [`SegmentMerge`]
//! merges several segments, and a [`SegmentProbe`] reads the few blocks that a search needs.
//!
//! A probe never misses a message with the text. It may return others, so the caller checks the texts of the
//! candidates. The crate is pure; time and memory are linear in the input.
//!
//! ```
//! use inboxd_search::{SegmentProbe, build, required_ranges};
//!
//! let blocks = build(["see you on monday", "see you on friday", "мы увидимся в понедельник"])?;
//! let ranges = required_ranges("monday");
//! let mut probe = SegmentProbe::new(&ranges, 3);
//! for (index, range) in ranges.iter().enumerate() {
//!     // A table finds the blocks of a range by their first grams; see `GramRange`.
//!     for block in blocks.iter().filter(|block| block.first_gram <= range.last) {
//!         probe.read_block(index, &block.bytes)?;
//!     }
//! }
//! assert_eq!(probe.candidates().newest_first().collect::<Vec<_>>(), [0]);
//! # Ok::<(), inboxd_search::SearchError>(())
//! ```

mod blocks;
mod build;
mod documents;
mod error;
mod grams;
mod merge;
mod merge_policy;
mod needles;
mod posting_list;
mod probe;
mod varint;

pub use blocks::{Block, MAX_BLOCK_BYTES};
pub use build::{MAX_TEXT_BYTES, build};
pub use documents::{Document, DocumentSet, MAX_DOCUMENTS};
pub use error::SearchError;
pub use grams::{Gram, GramRange, required_ranges};
pub use merge::SegmentMerge;
pub use merge_policy::{MAX_SEGMENT_BYTES, SegmentSize, select_merge};
pub use needles::NeedleRanges;
pub use probe::SegmentProbe;
