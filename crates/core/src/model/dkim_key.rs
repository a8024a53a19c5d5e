//! DKIM keys (RFC 6376), except the first one of each custom domain.

use time::OffsetDateTime;

use super::string_enum::string_enum;
use super::{DomainId, OrganizationId};

string_enum! {
    /// State of a key in its rotation.
    KeyState {
        /// Not in use yet: its record is not in DNS.
        Next = "next",
        /// The signing key.
        Active = "active",
        /// No longer signing; its record stays for messages in transit.
        Retired = "retired",
    }
}

/// A DKIM key of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DkimKey {
    /// Organization of the domain; `None` for one of the service's own domains.
    pub organization_id: Option<OrganizationId>,
    /// The domain.
    pub name: String,
    /// Selector: the name of its record below the domain.
    pub selector: String,
    /// Private key: PKCS#8, encrypted for the domain and selector. Empty once it is retired.
    pub sealed: Vec<u8>,
    /// Public key: `SubjectPublicKeyInfo` in base64.
    pub public_key: String,
    /// State in the rotation.
    pub state: KeyState,
    /// Time of the last change of state.
    pub changed_at: OffsetDateTime,
}

/// Signing key of a custom domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailKey {
    /// The domain.
    pub name: String,
    /// Selector: the name of its record below the domain.
    pub selector: String,
    /// Private key, encrypted.
    pub sealed: Vec<u8>,
    /// Id of the domain if this is its first key, which is encrypted for that id; `None` for a later key.
    pub born_with: Option<DomainId>,
}
