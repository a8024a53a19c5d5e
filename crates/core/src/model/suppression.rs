//! Addresses that must not be mailed again.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::OrganizationId;

/// Why an address is suppressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuppressionReason {
    /// Its server refused a mail for good.
    Bounce,
    /// Its owner marked a mail as spam.
    Complaint,
}

impl SuppressionReason {
    /// The name on the wire and in storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bounce => "bounce",
            Self::Complaint => "complaint",
        }
    }
}

/// An address that an organization can no longer send to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// Whose sends are refused.
    pub organization_id: OrganizationId,
    /// The address.
    pub address: EmailAddress,
    /// Why.
    pub reason: SuppressionReason,
    /// Since when.
    pub created_at: OffsetDateTime,
}
