//! Suppressed addresses.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::OrganizationId;

/// Reason of a suppression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuppressionReason {
    /// The server refused a message for good.
    Bounce,
    /// The recipient marked a message as spam.
    Complaint,
}

impl SuppressionReason {
    /// Returns the name in the API and storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bounce => "bounce",
            Self::Complaint => "complaint",
        }
    }
}

/// An address to which an organization no longer sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// Organization with refused sends.
    pub organization_id: OrganizationId,
    /// The address.
    pub address: EmailAddress,
    /// Reason.
    pub reason: SuppressionReason,
    /// Time of the suppression.
    pub created_at: OffsetDateTime,
}
