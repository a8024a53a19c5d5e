//! Keys that sign mail (RFC 6376), beside the one that every custom domain is born with.

use time::OffsetDateTime;

use super::words::words;
use super::{DomainId, OrganizationId};

words! {
    /// What a key is for now.
    KeyState {
        /// It signs nothing yet: its record does not stand in DNS.
        Next = "next",
        /// It signs.
        Active = "active",
        /// It signs no more; its record is still needed by mail that is on its way.
        Retired = "retired",
    }
}

/// A key of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DkimKey {
    /// Whose domain it is; `None` for the service's own.
    pub organization_id: Option<OrganizationId>,
    /// The domain.
    pub name: String,
    /// Under which name of the domain its record stands.
    pub selector: String,
    /// The private half: PKCS#8, sealed for the domain and the selector. Empty once it is retired.
    pub sealed: Vec<u8>,
    /// The public half: `SubjectPublicKeyInfo` in base64.
    pub public_key: String,
    /// What it is for now.
    pub state: KeyState,
    /// Since when.
    pub changed_at: OffsetDateTime,
}

/// The key that signs the mail of a custom domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailKey {
    /// The domain.
    pub name: String,
    /// Under which name of the domain its record stands.
    pub selector: String,
    /// The private half, sealed.
    pub sealed: Vec<u8>,
    /// The domain that was born with it, for whose id it is sealed; `None` for a later one.
    pub born_with: Option<DomainId>,
}
