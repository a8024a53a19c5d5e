//! OAuth clients.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::OAuthClient;

/// Reads of OAuth clients.
#[port]
pub trait OauthClientReads {
    /// Returns a client.
    async fn oauth_client(&self, client_id: &str) -> Result<Option<OAuthClient>, StoreError>;
}

/// Writes of OAuth clients.
#[port]
pub trait OauthClientWrites: Send {
    /// Stores a client, or replaces the facts about it. Deletes the oldest clients of the same source that were never used,
    /// above `limit`.
    async fn put(&mut self, client: &OAuthClient, limit: u64) -> Result<(), StoreError>;

    /// Records the use of a client: a consent, or the issue of tokens. It is accurate to a day.
    async fn touch(&mut self, client_id: &str, at: OffsetDateTime) -> Result<(), StoreError>;

    /// Deletes up to `limit` clients without a connection that were created, and last used, before this time. Returns the
    /// number of deleted clients.
    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}
