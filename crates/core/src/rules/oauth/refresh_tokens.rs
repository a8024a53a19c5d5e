//! Refresh tokens: their text, and the time in which an earlier one is accepted.

use time::OffsetDateTime;
use uuid::Uuid;

use crate::model::{ConnectionId, OrganizationId, RefreshToken};
use crate::rules::signing::SigningKey;

/// Purpose of the signature in a token.
const PURPOSE: &str = "refresh token";
/// Prefix of a token.
const PREFIX: &str = "rt_";

/// Returns a new token of a connection as text.
#[must_use]
pub fn text(
    key: &SigningKey,
    organization_id: OrganizationId,
    connection_id: ConnectionId,
    random: [u8; 32],
) -> String {
    let payload = [organization_id.0.as_bytes().as_slice(), connection_id.0.as_bytes(), &random].concat();
    format!("{PREFIX}{}", key.sign(PURPOSE, &payload))
}

/// Returns the organization and connection that a token names; `None` for a text that is no token of this server.
#[must_use]
pub fn connection_of(key: &SigningKey, text: &str) -> Option<(OrganizationId, ConnectionId)> {
    let payload = key.verify(PURPOSE, text.strip_prefix(PREFIX)?)?;
    let id = |range: std::ops::Range<usize>| Uuid::from_slice(payload.get(range)?).ok();
    Some((id(0..16)?.into(), id(16..32)?.into()))
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
