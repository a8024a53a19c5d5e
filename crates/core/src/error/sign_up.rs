//! Refusals of sign-ups, and of what an organization without an owner address cannot do.

use time::OffsetDateTime;

/// Reason for which a sign-up, or the change of an owner address, was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignUpRefusal {
    /// The operator closed the sign-up.
    #[error("this server accepts no sign-ups")]
    Closed,
    /// The sign-up names no invitation.
    #[error("this server accepts sign-ups with an invitation only")]
    InvitationRequired,
    /// The invitation cannot be used.
    #[error("the invitation is unknown, used or expired")]
    InvitationInvalid,
    /// The network of the client signed up too many organizations without an owner address.
    #[error("too many organizations without an owner address signed up from this network")]
    TooManyOwnerless {
        /// Time of the next permitted sign-up.
        until: OffsetDateTime,
    },
    /// The organization has no owner address.
    #[error("the organization has no owner address")]
    OwnerMissing,
    /// The owner address was replaced too often.
    #[error("the owner address was replaced {limit} times, the maximum")]
    OwnerChangesSpent {
        /// The maximum.
        limit: u32,
    },
}
