//! Refresh tokens.

use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

use crate::model::{ConnectionId, OrganizationId};

/// A refresh token of a connection. Only its SHA-256 is stored, and only for the current tokens and their immediate
/// predecessors.
///
/// The text of a token names its connection and expiry, and is signed. A token without a row is therefore recognized as
/// an expired or an earlier one, however old.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshToken {
    /// SHA-256 of the token.
    pub token_hash: [u8; 32],
    /// Organization of the connection.
    pub organization_id: OrganizationId,
    /// The connection.
    pub connection_id: ConnectionId,
    /// SHA-256 of the token that this one replaced; `None` for the first one.
    pub parent_hash: Option<[u8; 32]>,
    /// Time of its issue.
    pub created_at: OffsetDateTime,
    /// Time of its first use, which replaced it; `None` for a current token.
    pub retired_at: Option<OffsetDateTime>,
    /// Expiry of the token.
    pub expires_at: OffsetDateTime,
}

impl RefreshToken {
    /// Time in which the predecessor of a current token is accepted: several processes of a client refresh at once.
    pub const REUSE_TIME: Duration = Duration::seconds(60);

    /// Returns the hash by which a token is found.
    #[must_use]
    pub fn hash(text: &str) -> [u8; 32] {
        Sha256::digest(text.as_bytes()).into()
    }
}
