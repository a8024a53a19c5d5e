//! Refusals by policies of sending, and of approvals.

use time::OffsetDateTime;

use crate::model::{DraftId, PolicyVerdict};
use crate::rules::sending_policy::describe;

/// Reason for which a policy, or a rule about approvals, refuses a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// A key or a client would do what only a person may.
    #[error("only a person may do this, and not an API key or a connected client")]
    PersonRequired,
    /// A person would approve a message that they wrote.
    #[error("a message is approved by another person than its author")]
    OwnApproval,
    /// The draft does not wait for an approval, or its message is another one.
    #[error("the draft {0} does not wait for the approval of this message")]
    NotAwaitingApproval(DraftId),
    /// A policy refuses the message.
    #[error("{}", describe(.0))]
    Refused(Box<PolicyVerdict>),
    /// A person would send the content of a key that was revoked. The policies of the key ended with it.
    #[error("the content is that of the API key {0}, which was revoked together with its policies")]
    AuthorRevoked(String),
    /// Too many dry runs of an inbox within a minute.
    #[error("too many dry runs of this inbox within a minute")]
    FreeVerdictLimitReached {
        /// Time of the next permitted dry run.
        until: OffsetDateTime,
    },
}
