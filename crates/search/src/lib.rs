//! Which messages may hold a text: the index behind searches for substrings.
//!
//! Messages are indexed in segments of up to [`MOST_DOCUMENTS`]. A segment says for every four characters that follow one
//! another somewhere in it, a [`Gram`], in which of its messages they do. Its lists are packed into blocks of a few
//! thousand octets, ordered by gram, each of which is one row of a table; [`build`] makes them from texts, a [`Merge`]
//! makes one segment of several, and a [`Probe`] reads those few that a search needs.
//!
//! A probe never misses a message that holds the text. It may name one that does not: whoever asks looks into the texts of
//! the candidates. Everything here is pure, and takes time and memory linear in the octets that come in.
//!
//! ```
//! use inboxd_search::{Probe, build, wanted};
//!
//! let blocks = build(["see you on monday", "see you on friday", "мы увидимся в понедельник"])?;
//! let ranges = wanted("monday");
//! let mut probe = Probe::new(&ranges, 3);
//! for (place, range) in ranges.iter().enumerate() {
//!     // A table finds the blocks of a range by their first grams; see `GramRange`.
//!     for block in blocks.iter().filter(|block| block.first_gram <= range.last) {
//!         probe.read(place, &block.octets)?;
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
mod levels;
mod lists;
mod merge;
mod probe;
mod varint;

pub use blocks::{Block, MOST_BLOCK_OCTETS};
pub use build::{MOST_TEXT_OCTETS, build};
pub use documents::{Document, Documents, MOST_DOCUMENTS};
pub use error::SearchError;
pub use grams::{Gram, GramRange, wanted};
pub use levels::{MOST_SEGMENT_OCTETS, SegmentSize, to_merge};
pub use merge::Merge;
pub use probe::Probe;
