//! Which messages may hold a text: the index behind searches for substrings.
//!
//! Messages are indexed in segments of up to [`MAX_DOCUMENTS`]. A segment says for every four characters that follow one
//! another somewhere in it, a [`Gram`], in which of its messages they do. Its lists are packed into blocks of a few
//! thousand octets, ordered by gram, each of which is one row of a table; [`build`] makes them from texts, a [`SegmentMerge`]
//! makes one segment of several, and a [`SegmentProbe`] reads those few that a search needs.
//!
//! A probe never misses a message that holds the text. It may name one that does not: whoever asks looks into the texts of
//! the candidates. Everything here is pure, and takes time and memory linear in the octets that come in.
//!
//! ```
//! use inboxd_search::{SegmentProbe, build, required_ranges};
//!
//! let blocks = build(["see you on monday", "see you on friday", "мы увидимся в понедельник"])?;
//! let ranges = required_ranges("monday");
//! let mut probe = SegmentProbe::new(&ranges, 3);
//! for (place, range) in ranges.iter().enumerate() {
//!     // A table finds the blocks of a range by their first grams; see `GramRange`.
//!     for block in blocks.iter().filter(|block| block.first_gram <= range.last) {
//!         probe.read(place, &block.bytes)?;
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
pub use probe::SegmentProbe;
