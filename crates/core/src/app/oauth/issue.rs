//! Issue of an access token with a refresh token.

use time::{Duration, OffsetDateTime};

use crate::Error;
use crate::app::App;
use crate::model::api_key::PlaintextKey;
use crate::model::{ApiKey, Connection, Permissions, Reach, RefreshToken};
use crate::ports::Tx;
use crate::rules::oauth::refresh_tokens::{self, TokenFacts};
use crate::rules::oauth::scopes;

/// Tokens of a connection.
pub struct IssuedTokens {
    /// The access token.
    pub access_token: PlaintextKey,
    /// The validity of the access token.
    pub expires_in: Duration,
    /// The refresh token.
    pub refresh_token: String,
    /// The scopes of the access token.
    pub scope: String,
}

/// Issues tokens of a locked connection and records its use. `narrowed` limits the access token; the refresh token always
/// has all permissions of the connection. `parent` is the refresh token that the new one replaces.
pub(super) async fn issue(
    app: &App,
    tx: &mut dyn Tx,
    connection: Connection,
    narrowed: Option<Permissions>,
    parent: Option<&RefreshToken>,
    now: OffsetDateTime,
) -> Result<IssuedTokens, Error> {
    let (organization_id, connection_id) = (connection.organization_id, connection.connection_id);
    let connection = Connection { used_at: Some(now), ..connection };
    tx.connections().update(&connection).await?;
    let access_token = PlaintextKey::from_random(app.random.bytes());
    let access_until = (now + Connection::ACCESS_LIFETIME).min(connection.expires_at);
    let scope = scopes::text(narrowed.as_ref().unwrap_or(&connection.permissions));
    let key = ApiKey {
        organization_id,
        api_key_id: app.mint(now),
        prefix: access_token.prefix(),
        name: connection.client_name.clone(),
        reach: Reach::Organization,
        member_id: Some(connection.member_id),
        connection_id: Some(connection_id),
        permissions: narrowed,
        expires_at: Some(access_until),
        used_at: None,
        created_at: now,
        updated_at: now,
    };
    tx.api_keys().insert(&key, &access_token.hash()).await?;
    tx.api_keys().limit_access_tokens(organization_id, connection_id, Connection::MAX_TOKENS).await?;
    let expires_at = (now + Connection::MAX_IDLE).min(connection.expires_at);
    let facts = TokenFacts { organization_id, connection_id, expires_at };
    let text = refresh_tokens::text(&app.settings.signing_key, facts, app.random.bytes());
    let token = RefreshToken {
        token_hash: RefreshToken::hash(&text),
        organization_id,
        connection_id,
        parent_hash: parent.map(|parent| parent.token_hash),
        created_at: now,
        retired_at: None,
        expires_at,
    };
    tx.oauth_tokens().insert_refresh_token(&token).await?;
    tx.oauth_tokens().limit_refresh_tokens(organization_id, connection_id, Connection::MAX_TOKENS).await?;
    tx.oauth_clients().touch(&connection.client_id, now).await?;
    Ok(IssuedTokens { access_token, expires_in: access_until - now, refresh_token: text, scope })
}
