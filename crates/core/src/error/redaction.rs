//! Refusals of redactions.

use crate::model::MessageId;

/// Reason for which a message is not redacted, or its content not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedactionRefusal {
    /// A copy of the message waits in the outgoing queue.
    #[error("the message {0} waits for its delivery and cannot be redacted")]
    Queued(MessageId),
    /// The send is delayed: the message is a draft until it leaves.
    #[error("the message {0} has not left and cannot be redacted")]
    Delayed(MessageId),
    /// The content of the message was removed.
    #[error("the message {0} was redacted and has no content")]
    Redacted(MessageId),
}
