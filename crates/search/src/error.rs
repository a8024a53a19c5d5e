//! What can go wrong.

use thiserror::Error;

/// Why a segment could not be made or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SearchError {
    /// More messages than a segment holds.
    #[error("a segment holds at most {} messages", crate::MAX_DOCUMENTS)]
    TooManyDocuments,
    /// The octets of a block are not what this program writes.
    #[error("a block of a search segment cannot be read")]
    Corrupt,
}
