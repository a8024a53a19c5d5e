//! Refusals of the quarantine.

use crate::model::MessageId;

/// Reason for which the quarantine refused a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuarantineRefusal {
    /// The message is not held.
    #[error("the message {0} is not held")]
    NotHeld(MessageId),
    /// The message was released with another reason or by another author.
    #[error("the message {0} was released before, with another reason or by another author")]
    Released(MessageId),
    /// The message has no verdict: it was sent, or received before messages were judged.
    #[error("the message {0} has no verdict")]
    NotJudged(MessageId),
    /// The message has the maximum of feedback.
    #[error("the message {message_id} has {limit} pieces of feedback, the maximum")]
    FeedbackFull {
        /// The message.
        message_id: MessageId,
        /// The maximum.
        limit: u32,
    },
}
