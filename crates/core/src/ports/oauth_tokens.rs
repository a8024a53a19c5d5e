//! Authorization codes and refresh tokens. Access tokens are API keys.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{AuthorizationCode, ConnectionId, OrganizationId, RefreshToken};

/// Writes of authorization codes and refresh tokens. Refresh tokens are read and written under the lock of their
/// connection.
#[port]
pub trait OauthTokenWrites: Send {
    /// Stores a new code.
    async fn insert_code(&mut self, code: &AuthorizationCode) -> Result<(), StoreError>;

    /// Locks and returns a code, used or not.
    async fn lock_code(&mut self, code_hash: &[u8; 32]) -> Result<Option<AuthorizationCode>, StoreError>;

    /// Records the first use of a code.
    async fn end_code(&mut self, code_hash: &[u8; 32], at: OffsetDateTime) -> Result<(), StoreError>;

    /// Stores a new refresh token.
    async fn insert_refresh_token(&mut self, token: &RefreshToken) -> Result<(), StoreError>;

    /// Returns the stored refresh tokens of a connection.
    async fn refresh_tokens(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
    ) -> Result<Vec<RefreshToken>, StoreError>;

    /// Records the first use of a refresh token, and deletes the token that it replaced.
    async fn retire_refresh_token(&mut self, token: &RefreshToken, at: OffsetDateTime) -> Result<(), StoreError>;

    /// Deletes the refresh tokens of a connection except the newest `retained` ones.
    async fn limit_refresh_tokens(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
        retained: u32,
    ) -> Result<(), StoreError>;

    /// Deletes up to `limit` codes that expired before this time. Returns the number of deleted codes.
    async fn purge_codes(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;

    /// Deletes up to `limit` refresh tokens that expired before this time. Returns the number of deleted tokens.
    async fn purge_refresh_tokens(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}
