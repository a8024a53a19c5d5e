//! Exchange of an authorization code for tokens.

use time::OffsetDateTime;

use super::authenticate_client::{ClientCredentials, authenticate_client};
use super::consent::wrong_target;
use super::issue::{IssuedTokens, issue};
use super::revoke_token::record_end;
use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::model::{AuthorizationCode, Connection, ConnectionId, OAuthClient, OAuthErrorCode, OrganizationId};
use crate::ports::Tx;
use crate::rules::oauth::{bounds, pkce, refuse, resources};

/// Request with the grant type `authorization_code`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeExchange {
    /// The code.
    pub code: String,
    /// The redirect URI of the authorization request; OAuth 2.1 does not require it here.
    pub redirect_uri: Option<String>,
    /// The verifier of PKCE.
    pub code_verifier: String,
    /// The resource that the client names; this server without one.
    pub resource: Option<String>,
}

/// Exchanges a code for tokens.
///
/// The first use ends the code, also if it is refused. A later use revokes the connection and its tokens.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_client`, `invalid_grant` or `invalid_target`.
pub async fn exchange_code(
    app: &App,
    credentials: &ClientCredentials,
    exchange: CodeExchange,
) -> Result<IssuedTokens, Error> {
    let client = authenticate_client(app, credentials).await?;
    retried(is_contention, || exchange_once(app, &client, &exchange)).await
}

async fn exchange_once(app: &App, client: &OAuthClient, exchange: &CodeExchange) -> Result<IssuedTokens, Error> {
    let mut tx = app.store.begin().await?;
    let code_hash = AuthorizationCode::hash(&exchange.code);
    let Some(code) = tx.oauth_tokens().lock_code(&code_hash).await? else {
        return Err(refuse(OAuthErrorCode::InvalidGrant, "the code is not known; start the authorization again"));
    };
    // Read the clock behind the lock: the previous holder of the lock has used the code.
    let now = app.clock.now();
    if code.used_at.is_some() {
        let (organization_id, connection_id) = (code.organization_id, code.connection_id);
        if let Some(connection) = tx.connections().lock(organization_id, connection_id).await? {
            tx.connections().revoke(organization_id, connection_id, now).await?;
            record_end(app, tx.as_mut(), &connection).await?;
        }
        tx.commit().await?;
        let description = "the code was used before, so its connection was revoked; start the authorization again";
        return Err(refuse(OAuthErrorCode::InvalidGrant, description));
    }
    tx.oauth_tokens().end_code(&code_hash, now).await?;
    match redeem(app, tx.as_mut(), client, exchange, &code, now).await {
        Ok(tokens) => {
            tx.commit().await?;
            Ok(tokens)
        }
        Err(Error::OAuth(refusal)) => {
            tx.commit().await?;
            Err(Error::OAuth(refusal))
        }
        Err(error) => Err(error),
    }
}

/// Checks a code at its first use, and issues the tokens.
async fn redeem(
    app: &App,
    tx: &mut dyn Tx,
    client: &OAuthClient,
    exchange: &CodeExchange,
    code: &AuthorizationCode,
    now: OffsetDateTime,
) -> Result<IssuedTokens, Error> {
    let invalid = |description: &str| refuse(OAuthErrorCode::InvalidGrant, description);
    if code.expires_at <= now {
        return Err(invalid("the code has expired; start the authorization again"));
    }
    if exchange.redirect_uri.as_ref().is_some_and(|uri| *uri != code.redirect_uri) {
        return Err(invalid("redirect_uri is not the one of the authorization request"));
    }
    if !pkce::proves(&code.challenge, &exchange.code_verifier) {
        return Err(invalid("code_verifier does not match code_challenge"));
    }
    let issuer = super::issuer(app)?;
    if exchange.resource.as_ref().is_some_and(|resource| !resources::is_this_server(issuer, resource)) {
        return Err(wrong_target(issuer));
    }
    let connection = lock_usable(app, tx, client, (code.organization_id, code.connection_id), now).await?;
    issue(app, tx, connection, None, None, now).await
}

/// Locks the connection of a client behind its member, so that neither ends meanwhile.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_grant` for a connection of another client, for a removed member, and for a connection
/// that was revoked, has expired or has no inbox left.
pub(super) async fn lock_usable(
    app: &App,
    tx: &mut dyn Tx,
    client: &OAuthClient,
    (organization_id, connection_id): (OrganizationId, ConnectionId),
    now: OffsetDateTime,
) -> Result<Connection, Error> {
    let ended = || refuse(OAuthErrorCode::InvalidGrant, "the connection has ended; start the authorization again");
    let issuer = super::issuer(app)?;
    let found = tx.connections().find(organization_id, connection_id).await?;
    let found = found.filter(|found| found.client_id == client.client_id).ok_or_else(ended)?;
    let member = tx.members().hold(organization_id, found.member_id).await?.ok_or_else(ended)?;
    let connection = tx.connections().lock(organization_id, connection_id).await?;
    let is_usable = |connection: &Connection| {
        connection.is_live(now)
            && connection.resource.eq_ignore_ascii_case(issuer)
            && bounds::narrowed(member.reach(), &connection.inbox_ids).is_some()
    };
    connection.filter(is_usable).ok_or_else(ended)
}
