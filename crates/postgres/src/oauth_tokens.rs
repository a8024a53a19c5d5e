//! Authorization codes and refresh tokens.

use async_trait::async_trait;
use diesel::{Queryable, QueryableByName, Selectable};
use inboxd_core::model::{AuthorizationCode, ConnectionId, OrganizationId, RefreshToken};
use inboxd_core::ports::{OauthTokenWrites, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::rows::stored_hash;
use crate::schema::{oauth_codes, oauth_refresh_tokens};
use crate::sql::Sql;
use crate::tx::PgTx;

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = oauth_codes, check_for_backend(diesel::pg::Pg))]
struct AuthorizationCodeRow {
    code_hash: Vec<u8>,
    organization_id: Uuid,
    connection_id: Uuid,
    redirect_uri: String,
    challenge: String,
    expires_at: OffsetDateTime,
    used_at: Option<OffsetDateTime>,
}

impl AuthorizationCodeRow {
    fn entity(self) -> Result<AuthorizationCode, StoreError> {
        Ok(AuthorizationCode {
            code_hash: stored_hash(self.code_hash)?,
            organization_id: self.organization_id.into(),
            connection_id: self.connection_id.into(),
            redirect_uri: self.redirect_uri,
            challenge: self.challenge,
            expires_at: self.expires_at,
            used_at: self.used_at,
        })
    }
}

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = oauth_refresh_tokens, check_for_backend(diesel::pg::Pg))]
struct RefreshTokenRow {
    organization_id: Uuid,
    connection_id: Uuid,
    token_hash: Vec<u8>,
    parent_hash: Option<Vec<u8>>,
    created_at: OffsetDateTime,
    retired_at: Option<OffsetDateTime>,
    expires_at: OffsetDateTime,
}

impl RefreshTokenRow {
    fn entity(self) -> Result<RefreshToken, StoreError> {
        Ok(RefreshToken {
            token_hash: stored_hash(self.token_hash)?,
            organization_id: self.organization_id.into(),
            connection_id: self.connection_id.into(),
            parent_hash: self.parent_hash.map(stored_hash).transpose()?,
            created_at: self.created_at,
            retired_at: self.retired_at,
            expires_at: self.expires_at,
        })
    }
}

#[async_trait]
impl OauthTokenWrites for PgTx {
    async fn insert_code(&mut self, code: &AuthorizationCode) -> Result<(), StoreError> {
        let text = "INSERT INTO oauth_codes
                (code_hash, organization_id, connection_id, redirect_uri, challenge, expires_at, used_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)";
        Sql::new(text)
            .bytes(&code.code_hash)
            .uuid(code.organization_id.0)
            .uuid(code.connection_id.0)
            .text(&code.redirect_uri)
            .text(&code.challenge)
            .time(code.expires_at)
            .optional_time(code.used_at)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn lock_code(&mut self, code_hash: &[u8; 32]) -> Result<Option<AuthorizationCode>, StoreError> {
        let text = "SELECT code_hash, organization_id, connection_id, redirect_uri, challenge, expires_at, used_at
            FROM oauth_codes WHERE code_hash = $1 FOR UPDATE";
        let row = Sql::new(text).bytes(code_hash).row::<AuthorizationCodeRow>(self.connection().await?).await?;
        row.map(AuthorizationCodeRow::entity).transpose()
    }

    async fn end_code(&mut self, code_hash: &[u8; 32], at: OffsetDateTime) -> Result<(), StoreError> {
        let text = "UPDATE oauth_codes SET used_at = $2 WHERE code_hash = $1";
        Sql::new(text).bytes(code_hash).time(at).run(self.connection().await?).await?;
        Ok(())
    }

    async fn insert_refresh_token(&mut self, token: &RefreshToken) -> Result<(), StoreError> {
        let text = "INSERT INTO oauth_refresh_tokens
                (organization_id, connection_id, token_hash, parent_hash, created_at, retired_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)";
        Sql::new(text)
            .uuid(token.organization_id.0)
            .uuid(token.connection_id.0)
            .bytes(&token.token_hash)
            .optional_bytes(token.parent_hash.as_ref().map(<[u8; 32]>::as_slice))
            .time(token.created_at)
            .optional_time(token.retired_at)
            .time(token.expires_at)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn refresh_tokens(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
    ) -> Result<Vec<RefreshToken>, StoreError> {
        let text = "SELECT organization_id, connection_id, token_hash, parent_hash, created_at, retired_at, expires_at
            FROM oauth_refresh_tokens WHERE organization_id = $1 AND connection_id = $2";
        let sql = Sql::new(text).uuid(organization_id.0).uuid(connection_id.0);
        let rows = sql.rows::<RefreshTokenRow>(self.connection().await?).await?;
        rows.into_iter().map(RefreshTokenRow::entity).collect()
    }

    async fn retire_refresh_token(&mut self, token: &RefreshToken, at: OffsetDateTime) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        let (organization_id, connection_id) = (token.organization_id.0, token.connection_id.0);
        let text = "UPDATE oauth_refresh_tokens SET retired_at = $4
            WHERE organization_id = $1 AND connection_id = $2 AND token_hash = $3";
        let sql = Sql::new(text).uuid(organization_id).uuid(connection_id).bytes(&token.token_hash).time(at);
        sql.run(connection).await?;
        if let Some(parent) = &token.parent_hash {
            let text = "DELETE FROM oauth_refresh_tokens
                WHERE organization_id = $1 AND connection_id = $2 AND token_hash = $3";
            Sql::new(text).uuid(organization_id).uuid(connection_id).bytes(parent).run(connection).await?;
        }
        Ok(())
    }

    async fn limit_refresh_tokens(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
        retained: u32,
    ) -> Result<(), StoreError> {
        let text = "DELETE FROM oauth_refresh_tokens
            WHERE organization_id = $1 AND connection_id = $2 AND token_hash IN (
                SELECT token_hash FROM oauth_refresh_tokens WHERE organization_id = $1 AND connection_id = $2
                ORDER BY created_at DESC, token_hash OFFSET $3)";
        let sql = Sql::new(text).uuid(organization_id.0).uuid(connection_id.0).big(i64::from(retained));
        sql.run(self.connection().await?).await?;
        Ok(())
    }

    async fn purge_codes(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let text = "DELETE FROM oauth_codes WHERE code_hash IN (
            SELECT code_hash FROM oauth_codes WHERE expires_at < $1
            ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)";
        let deleted = Sql::new(text).time(before).big(i64::from(limit)).run(self.connection().await?).await?;
        Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
    }

    async fn purge_refresh_tokens(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let text = "DELETE FROM oauth_refresh_tokens WHERE (organization_id, connection_id, token_hash) IN (
            SELECT organization_id, connection_id, token_hash FROM oauth_refresh_tokens WHERE expires_at < $1
            ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)";
        let deleted = Sql::new(text).time(before).big(i64::from(limit)).run(self.connection().await?).await?;
        Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
    }
}
