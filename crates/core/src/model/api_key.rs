//! API keys and their plaintexts.

use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use super::{ApiKeyId, ConnectionId, MemberId, OrganizationId, Permission, Permissions, Reach};

/// An API key. The plaintext is shown once, at creation; only its SHA-256 is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Public id of the key.
    pub api_key_id: ApiKeyId,
    /// First twelve characters of the plaintext, by which people distinguish keys.
    pub prefix: String,
    /// Human-readable name.
    pub name: String,
    /// Scope, fixed at creation.
    pub reach: Reach,
    /// Member of a sign-in key, whose role and inboxes apply; `None` for a key that acts for the organization.
    pub member_id: Option<MemberId>,
    /// Connection of an access token, with which it ends; `None` for any other key.
    pub connection_id: Option<ConnectionId>,
    /// Permissions within the scope; `None` grants all, as [`ApiKey::grants`] says.
    pub permissions: Option<Permissions>,
    /// Expiry; it never changes.
    pub expires_at: Option<OffsetDateTime>,
    /// Time of the last use, accurate to about a minute.
    pub used_at: Option<OffsetDateTime>,
    /// Time of creation.
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

impl ApiKey {
    /// Length of the visible prefix in characters.
    pub const PREFIX_CHARS: usize = 12;

    /// Returns whether the key is an access token of a connection. No list of keys contains it.
    #[must_use]
    pub fn is_access_token(&self) -> bool {
        self.connection_id.is_some()
    }

    /// Returns whether the permission map of the key grants a permission. Without a map, only the key of a person
    /// grants those that are opt-in.
    #[must_use]
    pub fn grants(&self, permission: Permission) -> bool {
        let is_of_person = self.member_id.is_some() && !self.is_access_token();
        match &self.permissions {
            Some(map) => map.grants(permission),
            None => is_of_person || !permission.is_opt_in(),
        }
    }

    /// Returns whether the key has expired.
    #[must_use]
    pub fn is_expired(&self, now: OffsetDateTime) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

/// Plaintext of a new key, for the response of its creation. It is neither stored nor logged.
pub struct PlaintextKey(String);

impl PlaintextKey {
    /// Creates a key from 32 random bytes.
    #[must_use]
    pub fn from_random(random: [u8; 32]) -> Self {
        use base64::Engine as _;
        Self(format!("am_{}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(random)))
    }

    /// Returns the plaintext.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the visible prefix.
    #[must_use]
    pub fn prefix(&self) -> String {
        self.0.chars().take(ApiKey::PREFIX_CHARS).collect()
    }

    /// Returns the stored hash.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        hash_key(&self.0)
    }
}

/// Returns the SHA-256 by which a key is found. A key has 256 random bits, so it needs no slow hash.
#[must_use]
pub fn hash_key(plaintext: &str) -> [u8; 32] {
    Sha256::digest(plaintext.as_bytes()).into()
}
