//! API keys.

pub(crate) mod rows;

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper};
use diesel_async::RunQueryDsl;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{ApiKey, ApiKeyId, ConnectionId, InboxId, OrganizationId, Page, PodId};
use inboxd_core::ports::{ApiKeyQuery, ApiKeyReads, ApiKeyWrites, Credential, Signal, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use self::rows::ApiKeyRow;
use crate::access_tokens;
use crate::credentials::credentials;
use crate::error::failure;
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::schema::{api_key_hashes, api_keys};
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

#[async_trait]
impl ApiKeyReads for PgStore {
    async fn credential(&self, hash: &[u8; 32]) -> Result<Option<Credential>, StoreError> {
        self.keys.query(*hash).await
    }

    async fn credentials(&self, hashes: &[[u8; 32]]) -> Result<Vec<([u8; 32], Credential)>, StoreError> {
        let found = credentials(&mut *self.connection().await?, hashes).await?;
        // An unreadable key fails for its holder alone.
        let readable = found.into_iter().filter_map(|(hash, credential)| {
            let credential = credential.inspect_err(|error| tracing::error!(%error, "api key unreadable"));
            Some((hash, credential.ok()?))
        });
        Ok(readable.collect())
    }

    async fn list_api_keys(&self, query: &ApiKeyQuery) -> Result<Page<ApiKey>, StoreError> {
        let text = format!(
            "SELECT organization_id, api_key_id, prefix, name, pod_id, inbox_id, permissions, expires_at, used_at,
                created_at, updated_at, member_id, connection_id
            FROM api_keys
            WHERE organization_id = $1 AND revoked_at IS NULL AND connection_id IS NULL {of_pod} {of_inbox} {among}
                {behind}
            ORDER BY created_at {sort}, api_key_id {sort} LIMIT $2",
            of_pod = if query.pod_id.is_some() { "AND pod_id = $6" } else { "" },
            of_inbox = if query.inbox_id.is_some() { "AND inbox_id = $3" } else { "" },
            among = if query.among.is_some() { "AND inbox_id = ANY($7)" } else { "" },
            behind = behind_cursor(&query.page, "created_at, api_key_id", "$4, $5"),
            sort = KeysetOrder::of(query.page.direction).sort,
        );
        let after = query.page.after.as_ref();
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .big(rows_to_read(query.page.limit))
            .optional_text(query.inbox_id.as_ref().map(InboxId::as_str))
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .uuid(query.pod_id.map_or_else(Uuid::nil, |pod_id| pod_id.0))
            .texts(query.among.iter().flatten().map(InboxId::as_str))
            .rows::<ApiKeyRow>(&mut *self.connection().await?)
            .await?;
        let api_keys = rows.into_iter().map(ApiKeyRow::entity).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::of(api_keys, query.page.limit, |api_key| Cursor {
            time: api_key.created_at,
            id: api_key.api_key_id.0.to_string(),
        }))
    }

    async fn api_key(
        &self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
    ) -> Result<Option<ApiKey>, StoreError> {
        let row: Option<ApiKeyRow> = api_keys::table
            .filter(api_keys::organization_id.eq(organization_id.0))
            .filter(api_keys::api_key_id.eq(api_key_id.0))
            .filter(api_keys::revoked_at.is_null())
            .filter(api_keys::connection_id.is_null())
            .select(ApiKeyRow::as_select())
            .first(&mut *self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(ApiKeyRow::entity).transpose()
    }

    async fn touch_api_key(
        &self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        access_tokens::touch_key(&mut *self.connection().await?, organization_id, api_key_id, at).await
    }
}

#[async_trait]
impl ApiKeyWrites for PgTx {
    async fn insert(&mut self, api_key: &ApiKey, hash: &[u8; 32]) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        diesel::insert_into(api_key_hashes::table)
            .values((
                api_key_hashes::hash.eq(hash.as_slice()),
                api_key_hashes::organization_id.eq(api_key.organization_id.0),
                api_key_hashes::api_key_id.eq(api_key.api_key_id.0),
            ))
            .execute(connection)
            .await
            .map_err(failure)?;
        diesel::insert_into(api_keys::table)
            .values(ApiKeyRow::of(api_key)?)
            .execute(connection)
            .await
            .map_err(failure)?;
        Ok(())
    }

    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
    ) -> Result<Option<ApiKey>, StoreError> {
        let row: Option<ApiKeyRow> = api_keys::table
            .filter(api_keys::organization_id.eq(organization_id.0))
            .filter(api_keys::api_key_id.eq(api_key_id.0))
            .filter(api_keys::revoked_at.is_null())
            .select(ApiKeyRow::as_select())
            .for_no_key_update()
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(ApiKeyRow::entity).transpose()
    }

    async fn hold(
        &mut self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
    ) -> Result<Option<ApiKey>, StoreError> {
        let row: Option<ApiKeyRow> = api_keys::table
            .filter(api_keys::organization_id.eq(organization_id.0))
            .filter(api_keys::api_key_id.eq(api_key_id.0))
            .filter(api_keys::revoked_at.is_null())
            .select(ApiKeyRow::as_select())
            .for_share()
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(ApiKeyRow::entity).transpose()
    }

    async fn all(&mut self, organization_id: OrganizationId) -> Result<Vec<ApiKey>, StoreError> {
        let rows: Vec<ApiKeyRow> = api_keys::table
            .filter(api_keys::organization_id.eq(organization_id.0))
            .filter(api_keys::revoked_at.is_null())
            .filter(api_keys::connection_id.is_null())
            .order((api_keys::created_at, api_keys::api_key_id))
            .select(ApiKeyRow::as_select())
            .load(self.connection().await?)
            .await
            .map_err(failure)?;
        rows.into_iter().map(ApiKeyRow::entity).collect()
    }

    async fn revoke(
        &mut self,
        organization_id: OrganizationId,
        api_key_id: ApiKeyId,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let written = diesel::update(api_keys::table)
            .filter(api_keys::organization_id.eq(organization_id.0))
            .filter(api_keys::api_key_id.eq(api_key_id.0))
            .filter(api_keys::revoked_at.is_null())
            .set((api_keys::revoked_at.eq(Some(at)), api_keys::updated_at.eq(at)))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        self.add_signals([Signal::Access(organization_id)]);
        Ok(written > 0)
    }

    async fn update(&mut self, api_key: &ApiKey) -> Result<bool, StoreError> {
        let row = ApiKeyRow::of(api_key)?;
        let written = diesel::update(api_keys::table)
            .filter(api_keys::organization_id.eq(row.organization_id))
            .filter(api_keys::api_key_id.eq(row.api_key_id))
            .filter(api_keys::revoked_at.is_null())
            .set((
                api_keys::name.eq(row.name),
                api_keys::permissions.eq(row.permissions),
                api_keys::updated_at.eq(row.updated_at),
            ))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        self.add_signals([Signal::Access(api_key.organization_id)]);
        Ok(written > 0)
    }

    async fn revoke_of_pod(
        &mut self,
        organization_id: OrganizationId,
        pod_id: PodId,
        at: OffsetDateTime,
    ) -> Result<Vec<ApiKeyId>, StoreError> {
        let revoked: Vec<Uuid> = diesel::update(api_keys::table)
            .filter(api_keys::organization_id.eq(organization_id.0))
            .filter(api_keys::pod_id.eq(pod_id.0))
            .filter(api_keys::inbox_id.is_null())
            .filter(api_keys::revoked_at.is_null())
            .set((api_keys::revoked_at.eq(Some(at)), api_keys::updated_at.eq(at)))
            .returning(api_keys::api_key_id)
            .get_results(self.connection().await?)
            .await
            .map_err(failure)?;
        self.add_signals([Signal::Access(organization_id)]);
        Ok(revoked.into_iter().map(ApiKeyId::from).collect())
    }

    async fn revoke_of_inbox(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<Vec<ApiKeyId>, StoreError> {
        let revoked: Vec<Uuid> = diesel::update(api_keys::table)
            .filter(api_keys::organization_id.eq(organization_id.0))
            .filter(api_keys::inbox_id.eq(inbox_id.as_str()))
            .filter(api_keys::revoked_at.is_null())
            .set((api_keys::revoked_at.eq(Some(at)), api_keys::updated_at.eq(at)))
            .returning(api_keys::api_key_id)
            .get_results(self.connection().await?)
            .await
            .map_err(failure)?;
        self.add_signals([Signal::Access(organization_id)]);
        Ok(revoked.into_iter().map(ApiKeyId::from).collect())
    }

    async fn limit_access_tokens(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
        retained: u32,
    ) -> Result<(), StoreError> {
        access_tokens::limit(self.connection().await?, organization_id, connection_id, retained).await
    }

    async fn purge_access_tokens(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        access_tokens::purge(self.connection().await?, before, limit).await
    }
}
