//! Browser sessions.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, Queryable, Selectable, SelectableHelper};
use diesel_async::RunQueryDsl;
use inboxd_core::model::BrowserSession;
use inboxd_core::ports::{BrowserSessionReads, BrowserSessionWrites, StoreError};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use crate::accounts::rows::{stored_address, stored_hash};
use crate::error::failure;
use crate::schema::browser_sessions;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

#[derive(Queryable, Selectable)]
#[diesel(table_name = browser_sessions, check_for_backend(diesel::pg::Pg))]
struct BrowserSessionRow {
    token_hash: Vec<u8>,
    email: String,
    created_at: OffsetDateTime,
    used_at: OffsetDateTime,
    expires_at: OffsetDateTime,
}

impl BrowserSessionRow {
    fn entity(self) -> Result<BrowserSession, StoreError> {
        Ok(BrowserSession {
            token_hash: stored_hash(self.token_hash)?,
            email: stored_address(&self.email)?,
            created_at: self.created_at,
            used_at: self.used_at,
            expires_at: self.expires_at,
        })
    }
}

#[async_trait]
impl BrowserSessionReads for PgStore {
    async fn browser_session(&self, token_hash: &[u8; 32]) -> Result<Option<BrowserSession>, StoreError> {
        let row: Option<BrowserSessionRow> = browser_sessions::table
            .filter(browser_sessions::token_hash.eq(token_hash.as_slice()))
            .select(BrowserSessionRow::as_select())
            .first(&mut *self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(BrowserSessionRow::entity).transpose()
    }

    async fn browser_sessions(&self, token_hashes: &[[u8; 32]]) -> Result<Vec<BrowserSession>, StoreError> {
        let hashes: Vec<&[u8]> = token_hashes.iter().map(<[u8; 32]>::as_slice).collect();
        let rows: Vec<BrowserSessionRow> = browser_sessions::table
            .filter(browser_sessions::token_hash.eq_any(hashes))
            .select(BrowserSessionRow::as_select())
            .load(&mut *self.connection().await?)
            .await
            .map_err(failure)?;
        rows.into_iter().map(BrowserSessionRow::entity).collect()
    }

    async fn browser_sessions_of(&self, email: &EmailAddress) -> Result<Vec<BrowserSession>, StoreError> {
        let rows: Vec<BrowserSessionRow> = browser_sessions::table
            .filter(browser_sessions::email.eq(email.normalized()))
            .order(browser_sessions::used_at.desc())
            .select(BrowserSessionRow::as_select())
            .load(&mut *self.connection().await?)
            .await
            .map_err(failure)?;
        rows.into_iter().map(BrowserSessionRow::entity).collect()
    }

    async fn touch_browser_session(&self, session: &BrowserSession) -> Result<(), StoreError> {
        let text = "UPDATE browser_sessions SET used_at = $2, expires_at = $3 WHERE token_hash = $1 AND used_at < $2";
        let sql = Sql::new(text).bytes(&session.token_hash).time(session.used_at).time(session.expires_at);
        sql.run(&mut *self.connection().await?).await?;
        Ok(())
    }
}

#[async_trait]
impl BrowserSessionWrites for PgTx {
    async fn insert(&mut self, session: &BrowserSession, limit: u32) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        let email = session.email.normalized();
        let text = "INSERT INTO browser_sessions (token_hash, email, created_at, used_at, expires_at)
            VALUES ($1, $2, $3, $4, $5)";
        Sql::new(text)
            .bytes(&session.token_hash)
            .text(&email)
            .time(session.created_at)
            .time(session.used_at)
            .time(session.expires_at)
            .run(connection)
            .await?;
        let text = "DELETE FROM browser_sessions WHERE token_hash IN (
            SELECT token_hash FROM browser_sessions WHERE email = $1 ORDER BY created_at DESC, token_hash OFFSET $2)";
        Sql::new(text).text(&email).big(i64::from(limit)).run(connection).await?;
        Ok(())
    }

    async fn delete(&mut self, token_hash: &[u8; 32]) -> Result<(), StoreError> {
        let text = "DELETE FROM browser_sessions WHERE token_hash = $1";
        Sql::new(text).bytes(token_hash).run(self.connection().await?).await?;
        Ok(())
    }

    async fn delete_of(&mut self, email: &EmailAddress) -> Result<(), StoreError> {
        let text = "DELETE FROM browser_sessions WHERE email = $1";
        Sql::new(text).text(&email.normalized()).run(self.connection().await?).await?;
        Ok(())
    }

    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let text = "DELETE FROM browser_sessions WHERE token_hash IN (
            SELECT token_hash FROM browser_sessions WHERE expires_at < $1
            ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)";
        let deleted = Sql::new(text).time(before).big(i64::from(limit)).run(self.connection().await?).await?;
        Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
    }
}
