//! Revocation of a token by its client (RFC 7009).

use super::authenticate_client::{ClientCredentials, authenticate_client};
use crate::Error;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::model::api_key::hash_key;
use crate::model::{AuditAction, AuditActor, Connection, ConnectionId, OAuthClient, OrganizationId, ServiceActor};
use crate::ports::Tx;
use crate::rules::oauth::refresh_tokens;

/// Revokes a token of the client. A refresh token ends its connection, an access token itself alone. An unknown token,
/// and one of another client, changes nothing.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_client`.
pub async fn revoke_token(app: &App, credentials: &ClientCredentials, token: &str) -> Result<(), Error> {
    let client = authenticate_client(app, credentials).await?;
    if let Some(facts) = refresh_tokens::facts_of(&app.settings.signing_key, token) {
        let named = (facts.organization_id, facts.connection_id);
        return retried(is_contention, || revoke_connection(app, &client, named)).await;
    }
    let Some(credential) = app.store.credential(&hash_key(token)).await? else { return Ok(()) };
    let is_own = credential.connection.is_some_and(|connection| connection.client_id == client.client_id);
    if !is_own || !credential.api_key.is_access_token() {
        return Ok(());
    }
    let mut tx = app.store.begin().await?;
    let key = credential.api_key;
    tx.api_keys().revoke(key.organization_id, key.api_key_id, app.clock.now()).await?;
    Ok(tx.commit().await?)
}

async fn revoke_connection(
    app: &App,
    client: &OAuthClient,
    (organization_id, connection_id): (OrganizationId, ConnectionId),
) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    let found = tx.connections().lock(organization_id, connection_id).await?;
    let Some(connection) = found.filter(|found| found.client_id == client.client_id) else { return Ok(()) };
    if tx.connections().revoke(organization_id, connection_id, app.clock.now()).await? {
        record_end(app, tx.as_mut(), &connection).await?;
    }
    Ok(tx.commit().await?)
}

/// Records that a connection ended by its client.
pub(super) async fn record_end(app: &App, tx: &mut dyn Tx, connection: &Connection) -> Result<(), Error> {
    let author = (AuditActor::Service { kind: ServiceActor::OAuthClient }, None);
    let change = AuditChange::deleted(AuditAction::ConnectionDeleted, connection);
    audit::record_by(app, tx, connection.organization_id, author, change).await
}
