//! Errors of the search index.

use thiserror::Error;

/// Failure to build or read a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SearchError {
    /// More messages than a segment holds.
    #[error("segment exceeds {} messages", crate::MAX_DOCUMENTS)]
    TooManyDocuments,
    /// The bytes of a block are invalid.
    #[error("search segment block is corrupt")]
    Corrupt,
}
