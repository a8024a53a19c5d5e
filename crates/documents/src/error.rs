//! Refusals of documents.

use inboxd_mail::zip::UnpackError;
use thiserror::Error;

/// Reason why a document has no text here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// Its format is not read, such as pictures, sound and programs.
    #[error("the format of the document is not read")]
    Unsupported,
    /// It has no words, such as a scanned page.
    #[error("the document has no words")]
    NoText,
    /// It opens with a password only.
    #[error("the document opens with a password only")]
    Encrypted,
    /// It unpacks to more than the limits permit.
    #[error("the document unpacks to more than the limit")]
    TooLarge,
    /// It is damaged, or not of its format.
    #[error("the document is damaged")]
    Malformed,
}

impl From<UnpackError> for DocumentError {
    fn from(error: UnpackError) -> Self {
        match error {
            UnpackError::Unsupported => Self::Unsupported,
            UnpackError::Encrypted => Self::Encrypted,
            UnpackError::TooLarge => Self::TooLarge,
            UnpackError::Malformed => Self::Malformed,
        }
    }
}
