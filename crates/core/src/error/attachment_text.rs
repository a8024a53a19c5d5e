//! Refusals of the text of attachments.

/// Reason for which an attachment has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AttachmentTextRefusal {
    /// The format is not read.
    #[error("the format of the attachment has no text that can be read")]
    Unsupported,
    /// The document has no words, such as a scanned page.
    #[error("the attachment has no words: it is empty, or has pictures only")]
    NoText,
    /// The document opens with a password only.
    #[error("the attachment opens with a password only")]
    Encrypted,
    /// The document needs more memory than the limit, or unpacks to more.
    #[error("the attachment unpacks to more than the limit")]
    TooLarge,
    /// Reading took longer than the limit.
    #[error("the attachment cannot be read within 5 seconds")]
    TimedOut,
    /// The document is damaged, or not what its type says.
    #[error("the attachment is damaged and cannot be read")]
    Failed,
}
