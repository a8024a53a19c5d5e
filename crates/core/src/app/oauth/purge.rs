//! Deletion of expired sessions, codes, tokens, connections and unused clients, in small batches.

use crate::Error;
use crate::app::App;
use crate::model::{AuthorizationCode, Connection, OAuthClient};

/// Rows of one table that one unit of work deletes.
const BATCH: u32 = 1000;

/// Deletes a batch of expired rows of each table, each in a unit of work of its own. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_oauth(app: &App) -> Result<bool, Error> {
    let now = app.clock.now();
    let mut largest = 0;
    let mut tx = app.store.begin().await?;
    largest = largest.max(tx.browser_sessions().purge(now, BATCH).await?);
    tx.commit().await?;
    let mut tx = app.store.begin().await?;
    largest = largest.max(tx.oauth_tokens().purge_codes(now - AuthorizationCode::REPLAY_RETENTION, BATCH).await?);
    tx.commit().await?;
    let mut tx = app.store.begin().await?;
    largest = largest.max(tx.oauth_tokens().purge_refresh_tokens(now, BATCH).await?);
    tx.commit().await?;
    let mut tx = app.store.begin().await?;
    largest = largest.max(tx.api_keys().purge_access_tokens(now - Connection::TOKEN_RETENTION, BATCH).await?);
    tx.commit().await?;
    let mut tx = app.store.begin().await?;
    largest = largest.max(tx.connections().purge(now, BATCH).await?);
    tx.commit().await?;
    let mut tx = app.store.begin().await?;
    largest = largest.max(tx.oauth_clients().purge(now - OAuthClient::UNUSED_RETENTION, BATCH).await?);
    tx.commit().await?;
    Ok(largest >= u64::from(BATCH))
}
