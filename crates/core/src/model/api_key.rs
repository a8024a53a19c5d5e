//! Keys: what a caller shows to be let in.

use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use super::{ApiKeyId, MemberId, OrganizationId, Permission, Permissions, Reach};

/// An API key. The key itself is shown once, at its creation, and is stored only as its SHA-256.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its public name.
    pub api_key_id: ApiKeyId,
    /// The first twelve characters of the key, so that people can tell keys apart.
    pub prefix: String,
    /// A name for people.
    pub name: String,
    /// How far it reaches; fixed at creation.
    pub reach: Reach,
    /// Whose key it is, where it comes from a sign-in: their role and inboxes apply. `None` acts for the organization.
    pub member_id: Option<MemberId>,
    /// What it may do within its reach; `None` is everything.
    pub permissions: Option<Permissions>,
    /// When it stops working; it cannot be moved.
    pub expires_at: Option<OffsetDateTime>,
    /// When it was last used, to about a minute.
    pub used_at: Option<OffsetDateTime>,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When it last changed.
    pub updated_at: OffsetDateTime,
}

impl ApiKey {
    /// The characters of a key that are shown of it.
    pub const PREFIX_CHARS: usize = 12;

    /// Whether the key may do something, as far as it was given a map.
    #[must_use]
    pub fn grants(&self, permission: Permission) -> bool {
        self.permissions.as_ref().is_none_or(|map| map.grants(permission))
    }

    /// Whether the key no longer works.
    #[must_use]
    pub fn is_expired(&self, now: OffsetDateTime) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

/// The plaintext of a key, on its way to the caller who asked for it. It is neither stored nor logged.
pub struct PlaintextKey(String);

impl PlaintextKey {
    /// Makes a key of 32 random octets.
    #[must_use]
    pub fn from_random(random: [u8; 32]) -> Self {
        use base64::Engine as _;
        Self(format!("am_{}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(random)))
    }

    /// The key as the caller will show it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the characters that are shown of it.
    #[must_use]
    pub fn prefix(&self) -> String {
        self.0.chars().take(ApiKey::PREFIX_CHARS).collect()
    }

    /// What is stored of it.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        hash_key(&self.0)
    }
}

/// The SHA-256 by which a key is found. A key holds 256 random bits, so that no slow hash is needed.
#[must_use]
pub fn hash_key(plaintext: &str) -> [u8; 32] {
    Sha256::digest(plaintext.as_bytes()).into()
}
