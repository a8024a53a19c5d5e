//! OAuth clients.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, Queryable, Selectable, SelectableHelper};
use diesel_async::RunQueryDsl;
use inboxd_core::model::{ClientAuthMethod, ClientSource, OAuthClient};
use inboxd_core::ports::{OauthClientReads, OauthClientWrites, StoreError};
use time::OffsetDateTime;

use crate::accounts::rows::stored_hash;
use crate::error::failure;
use crate::schema::oauth_clients;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::text::stored;
use crate::tx::PgTx;

#[derive(Queryable, Selectable)]
#[diesel(table_name = oauth_clients, check_for_backend(diesel::pg::Pg))]
struct OAuthClientRow {
    client_id: String,
    source: String,
    name: String,
    redirect_uris: Vec<String>,
    auth_method: String,
    secret_hash: Option<Vec<u8>>,
    created_at: OffsetDateTime,
    used_at: Option<OffsetDateTime>,
    cached_until: Option<OffsetDateTime>,
}

impl OAuthClientRow {
    fn entity(self) -> Result<OAuthClient, StoreError> {
        let unknown = |word: &str| StoreError::Failed(format!("unknown word of an OAuth client: {word:?}"));
        Ok(OAuthClient {
            client_id: self.client_id,
            source: ClientSource::named(&self.source).ok_or_else(|| unknown(&self.source))?,
            name: self.name,
            redirect_uris: self.redirect_uris,
            auth_method: ClientAuthMethod::named(&self.auth_method).ok_or_else(|| unknown(&self.auth_method))?,
            secret_hash: self.secret_hash.map(stored_hash).transpose()?,
            created_at: self.created_at,
            used_at: self.used_at,
            cached_until: self.cached_until,
        })
    }
}

/// Stores a client. A document that changed keeps the times of its client.
const PUT: &str = "INSERT INTO oauth_clients
        (client_id, source, name, redirect_uris, auth_method, secret_hash, created_at, used_at, cached_until)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (client_id) DO UPDATE SET name = excluded.name, redirect_uris = excluded.redirect_uris,
        auth_method = excluded.auth_method, secret_hash = excluded.secret_hash, cached_until = excluded.cached_until";

/// Deletes the oldest clients of a source that were never used, above `$2`. A stranger who registers many thus forgets
/// the clients of other strangers, and never one that a person connected.
const EVICT: &str = "DELETE FROM oauth_clients WHERE used_at IS NULL AND client_id IN (
    SELECT client_id FROM oauth_clients WHERE source = $1 AND used_at IS NULL
    ORDER BY created_at DESC OFFSET $2 LIMIT 100 FOR UPDATE SKIP LOCKED)";

#[async_trait]
impl OauthClientReads for PgStore {
    async fn oauth_client(&self, client_id: &str) -> Result<Option<OAuthClient>, StoreError> {
        let row: Option<OAuthClientRow> = oauth_clients::table
            .filter(oauth_clients::client_id.eq(stored(client_id)))
            .select(OAuthClientRow::as_select())
            .first(&mut *self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(OAuthClientRow::entity).transpose()
    }
}

#[async_trait]
impl OauthClientWrites for PgTx {
    async fn put(&mut self, client: &OAuthClient, limit: u64) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        Sql::new(PUT)
            .text(&client.client_id)
            .text(client.source.as_str())
            .text(&client.name)
            .texts(client.redirect_uris.iter().map(String::as_str))
            .text(client.auth_method.as_str())
            .optional_bytes(client.secret_hash.as_ref().map(<[u8; 32]>::as_slice))
            .time(client.created_at)
            .optional_time(client.used_at)
            .optional_time(client.cached_until)
            .run(connection)
            .await?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        Sql::new(EVICT).text(client.source.as_str()).big(limit).run(connection).await?;
        Ok(())
    }

    async fn touch(&mut self, client_id: &str, at: OffsetDateTime) -> Result<(), StoreError> {
        // Many people share a client, so its row is written once a day.
        let text = "UPDATE oauth_clients SET used_at = $2
            WHERE client_id = $1 AND (used_at IS NULL OR used_at < $2 - interval '1 day')";
        Sql::new(text).text(client_id).time(at).run(self.connection().await?).await?;
        Ok(())
    }

    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let text = "DELETE FROM oauth_clients WHERE client_id IN (
            SELECT client_id FROM oauth_clients c WHERE greatest(created_at, used_at) < $1
                AND NOT EXISTS (SELECT FROM oauth_grants g WHERE g.client_id = c.client_id)
            ORDER BY greatest(created_at, used_at) LIMIT $2 FOR UPDATE SKIP LOCKED)";
        let deleted = Sql::new(text).time(before).big(i64::from(limit)).run(self.connection().await?).await?;
        Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
    }
}
