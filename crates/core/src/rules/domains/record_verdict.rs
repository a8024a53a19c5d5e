//! Result of the evaluation of a record.

/// Result of the evaluation of a record by its DNS response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordVerdict {
    Valid,
    Missing,
    /// Reason as one word, and the remedy as a sentence.
    Invalid(&'static str, &'static str),
}
