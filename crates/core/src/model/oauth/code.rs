//! Authorization codes.

use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

use crate::model::{ConnectionId, OrganizationId};

/// A code that a client exchanges for tokens. Only its SHA-256 is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationCode {
    /// SHA-256 of the code.
    pub code_hash: [u8; 32],
    /// Organization of the connection.
    pub organization_id: OrganizationId,
    /// Connection that the exchange activates.
    pub connection_id: ConnectionId,
    /// Redirect URI that received the code.
    pub redirect_uri: String,
    /// Challenge of PKCE, method S256 (RFC 7636).
    pub challenge: String,
    /// Expiry of the code.
    pub expires_at: OffsetDateTime,
    /// Time of the first use, which ends the code; `None` before it.
    pub used_at: Option<OffsetDateTime>,
}

impl AuthorizationCode {
    /// Validity of a code.
    pub const LIFETIME: Duration = Duration::seconds(60);
    /// Time after its expiry in which the second use of a code is recognized.
    pub const REPLAY_RETENTION: Duration = Duration::days(1);

    /// Returns a new code as text.
    #[must_use]
    pub fn text(random: [u8; 32]) -> String {
        super::secret_text("ac_", random)
    }

    /// Returns the hash by which a code is found.
    #[must_use]
    pub fn hash(text: &str) -> [u8; 32] {
        Sha256::digest(text.as_bytes()).into()
    }
}
