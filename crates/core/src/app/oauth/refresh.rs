//! Refresh of the tokens of a connection.

use super::authenticate_client::{ClientCredentials, authenticate_client};
use super::consent::wrong_target;
use super::exchange::lock_usable;
use super::issue::{IssuedTokens, issue};
use super::revoke_token::record_end;
use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::model::{OAuthClient, OAuthErrorCode, Permissions, RefreshToken};
use crate::rules::oauth::{refresh_tokens, refuse, resources, scopes};

/// Request with the grant type `refresh_token`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refresh {
    /// The refresh token.
    pub refresh_token: String,
    /// The scopes of the new access token, at most the granted ones; all of them without this.
    pub scope: Option<String>,
    /// The resource that the client names; this server without one.
    pub resource: Option<String>,
}

/// Replaces a refresh token and issues an access token.
///
/// The immediate predecessor of the current token is accepted for 60 seconds and gives tokens of its own, because several
/// processes of a client refresh at once. An earlier token, or the predecessor after that, revokes the connection. An
/// expired token is refused and revokes nothing.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_client`, `invalid_grant`, `invalid_scope` or `invalid_target`.
pub async fn refresh(app: &App, credentials: &ClientCredentials, request: Refresh) -> Result<IssuedTokens, Error> {
    let client = authenticate_client(app, credentials).await?;
    let issuer = super::issuer(app)?;
    if request.resource.as_ref().is_some_and(|resource| !resources::is_this_server(issuer, resource)) {
        return Err(wrong_target(issuer));
    }
    let asked = request.scope.as_deref().filter(|scope| scopes::names_any(scope));
    let asked = asked.map(|scope| scopes::parse(Some(scope))).transpose()?;
    retried(is_contention, || refresh_once(app, &client, &request.refresh_token, asked.as_ref())).await
}

async fn refresh_once(
    app: &App,
    client: &OAuthClient,
    text: &str,
    asked: Option<&Permissions>,
) -> Result<IssuedTokens, Error> {
    let invalid = |description: &str| refuse(OAuthErrorCode::InvalidGrant, description);
    let facts = refresh_tokens::facts_of(&app.settings.signing_key, text);
    let facts = facts.ok_or_else(|| invalid("the refresh token is not known; start the authorization again"))?;
    let named = (facts.organization_id, facts.connection_id);
    let mut tx = app.store.begin().await?;
    let connection = lock_usable(app, tx.as_mut(), client, named, app.clock.now()).await?;
    // Read the clock behind the lock: the previous holder of the lock may have used the token.
    let now = app.clock.now();
    let stored = tx.oauth_tokens().refresh_tokens(named.0, named.1).await?;
    let token = refresh_tokens::usable(&stored, &RefreshToken::hash(text), now);
    // The rows of expired tokens are purged: by its row alone an expired token would look like a replaced one.
    if token.map_or(facts.expires_at, |token| token.expires_at) <= now {
        return Err(invalid("the refresh token has expired; start the authorization again"));
    }
    let Some(token) = token else {
        tx.connections().revoke(named.0, named.1, now).await?;
        record_end(app, tx.as_mut(), &connection).await?;
        tx.commit().await?;
        return Err(invalid(
            "the refresh token was used before, so its connection was revoked; start the authorization again",
        ));
    };
    if asked.is_some_and(|asked| !scopes::contains(&connection.permissions, asked)) {
        let granted = scopes::text(&connection.permissions);
        return Err(refuse(OAuthErrorCode::InvalidScope, format!("the scope exceeds the granted one: {granted}")));
    }
    if token.retired_at.is_none() {
        tx.oauth_tokens().retire_refresh_token(token, now).await?;
    }
    let tokens = issue(app, tx.as_mut(), connection, asked.cloned(), Some(token), now).await?;
    tx.commit().await?;
    Ok(tokens)
}
