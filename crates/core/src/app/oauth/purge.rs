//! Deletion of expired sessions, codes, tokens, connections and unused clients, in small batches.

use time::OffsetDateTime;

use crate::Error;
use crate::app::App;
use crate::model::{AuthorizationCode, Connection, OAuthClient};
use crate::ports::{StoreError, Tx};

/// Rows of one table that one unit of work deletes.
const BATCH: u32 = 1000;

/// Rows with an end.
#[derive(Clone, Copy)]
enum ExpiredRows {
    Sessions,
    Codes,
    RefreshTokens,
    AccessTokens,
    Connections,
    Clients,
}

impl ExpiredRows {
    const ALL: [Self; 6] =
        [Self::Sessions, Self::Codes, Self::RefreshTokens, Self::AccessTokens, Self::Connections, Self::Clients];

    /// Deletes a batch and returns the number of deleted rows.
    async fn purge(self, tx: &mut dyn Tx, now: OffsetDateTime) -> Result<u64, StoreError> {
        match self {
            Self::Sessions => tx.browser_sessions().purge(now, BATCH).await,
            Self::Codes => tx.oauth_tokens().purge_codes(now - AuthorizationCode::REPLAY_RETENTION, BATCH).await,
            Self::RefreshTokens => tx.oauth_tokens().purge_refresh_tokens(now, BATCH).await,
            Self::AccessTokens => tx.api_keys().purge_access_tokens(now - Connection::TOKEN_RETENTION, BATCH).await,
            Self::Connections => tx.connections().purge(now, BATCH).await,
            Self::Clients => tx.oauth_clients().purge(now - OAuthClient::UNUSED_RETENTION, BATCH).await,
        }
    }
}

/// Deletes a batch of expired rows of each table, each in a unit of work of its own. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge_oauth(app: &App) -> Result<bool, Error> {
    let now = app.clock.now();
    let mut largest = 0;
    for rows in ExpiredRows::ALL {
        let mut tx = app.store.begin().await?;
        largest = largest.max(rows.purge(tx.as_mut(), now).await?);
        tx.commit().await?;
    }
    Ok(largest >= u64::from(BATCH))
}
