//! Refresh tokens: their text, and the time in which an earlier one is accepted.
//!
//! The signed text names the connection and the expiry, so that a token without a row is either an expired one or an
//! earlier one that was replaced.

use time::OffsetDateTime;
use uuid::Uuid;

use crate::model::{ConnectionId, OrganizationId, RefreshToken};
use crate::rules::signing::SigningKey;

/// Purpose of the signature in a token.
const PURPOSE: &str = "refresh token";
/// Prefix of a token.
const PREFIX: &str = "rt_";

/// Facts that the text of a token states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenFacts {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The connection.
    pub connection_id: ConnectionId,
    /// The expiry, in whole seconds.
    pub expires_at: OffsetDateTime,
}

/// Returns a new token as text.
#[must_use]
pub fn text(key: &SigningKey, facts: TokenFacts, random: [u8; 32]) -> String {
    let expires_at = facts.expires_at.unix_timestamp().to_be_bytes();
    let (organization_id, connection_id) = (facts.organization_id.0.as_bytes(), facts.connection_id.0.as_bytes());
    let payload = [organization_id.as_slice(), connection_id, &expires_at, &random].concat();
    format!("{PREFIX}{}", key.sign(PURPOSE, &payload))
}

/// Returns what a token states; `None` for a text that is no token of this server.
#[must_use]
pub fn facts_of(key: &SigningKey, text: &str) -> Option<TokenFacts> {
    let payload = key.verify(PURPOSE, text.strip_prefix(PREFIX)?)?;
    let id = |range: std::ops::Range<usize>| Uuid::from_slice(payload.get(range)?).ok();
    let seconds = i64::from_be_bytes(payload.get(32..40)?.try_into().ok()?);
    Some(TokenFacts {
        organization_id: id(0..16)?.into(),
        connection_id: id(16..32)?.into(),
        expires_at: OffsetDateTime::from_unix_timestamp(seconds).ok()?,
    })
}

/// Returns the token of a hash if it can be used: a current one, or for [`RefreshToken::REUSE_TIME`] the immediate
/// predecessor of current ones. `stored` holds the tokens of the connection.
#[must_use]
pub fn usable<'a>(stored: &'a [RefreshToken], token_hash: &[u8; 32], now: OffsetDateTime) -> Option<&'a RefreshToken> {
    let token = stored.iter().find(|token| token.token_hash == *token_hash)?;
    let Some(retired_at) = token.retired_at else { return Some(token) };
    let is_superseded = stored.iter().any(|other| other.parent_hash == Some(*token_hash) && other.retired_at.is_some());
    (!is_superseded && now < retired_at + RefreshToken::REUSE_TIME).then_some(token)
}
