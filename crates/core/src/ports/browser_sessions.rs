//! Browser sessions.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::BrowserSession;

/// Reads of browser sessions.
#[port]
pub trait BrowserSessionReads {
    /// Returns the session of a token hash; it may have expired.
    async fn browser_session(&self, token_hash: &[u8; 32]) -> Result<Option<BrowserSession>, StoreError>;

    /// Returns the sessions of these token hashes, in any order, without a cache; they may have expired.
    async fn browser_sessions(&self, token_hashes: &[[u8; 32]]) -> Result<Vec<BrowserSession>, StoreError>;

    /// Returns all sessions of an address, the last used first; they may have expired.
    async fn browser_sessions_of(&self, email: &EmailAddress) -> Result<Vec<BrowserSession>, StoreError>;

    /// Records the use and expiry of a session, outside any unit of work, because its loss is harmless.
    async fn touch_browser_session(&self, session: &BrowserSession) -> Result<(), StoreError>;
}

/// Writes of browser sessions.
#[port]
pub trait BrowserSessionWrites: Send {
    /// Stores a new session and deletes the oldest ones of its address above `limit`.
    async fn insert(&mut self, session: &BrowserSession, limit: u32) -> Result<(), StoreError>;

    /// Deletes a session.
    async fn delete(&mut self, token_hash: &[u8; 32]) -> Result<(), StoreError>;

    /// Deletes all sessions of an address.
    async fn delete_of(&mut self, email: &EmailAddress) -> Result<(), StoreError>;

    /// Deletes up to `limit` sessions that expired before this time. Returns the number of deleted sessions.
    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}
