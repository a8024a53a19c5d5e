//! API keys.

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, Insertable, JoinOnDsl, NullableExpressionMethods, OptionalExtension,
    QueryDsl, Queryable, QueryableByName, Selectable, SelectableHelper,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{ApiKey, ApiKeyId, InboxId, OrganizationId, Page, PodId, Reach};
use inboxd_core::ports::{ApiKeyQuery, ApiKeyReads, ApiKeyWrites, Credential, Signal, StoreError};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::OrganizationRow;
use crate::error::failure;
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::members::rows::MemberRow;
use crate::query_batcher::BatchedQuery;
use crate::schema::{api_key_hashes, api_keys, members, organizations};
use crate::sql::Sql;
use crate::store::PgStore;
use crate::text::{from_json, stored, to_json};
use crate::tx::PgTx;

/// A row of `api_keys`, without its revocation.
#[derive(Queryable, QueryableByName, Selectable, Insertable)]
#[diesel(table_name = api_keys, check_for_backend(diesel::pg::Pg))]
struct ApiKeyRow {
    organization_id: Uuid,
    api_key_id: Uuid,
    prefix: String,
    name: String,
    pod_id: Option<Uuid>,
    inbox_id: Option<String>,
    permissions: Option<Value>,
    expires_at: Option<OffsetDateTime>,
    used_at: Option<OffsetDateTime>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
    member_id: Option<Uuid>,
}

impl ApiKeyRow {
    fn of(api_key: &ApiKey) -> Result<Self, StoreError> {
        let (pod_id, inbox_id) = match &api_key.reach {
            Reach::Organization => (None, None),
            Reach::Pod(pod_id) => (Some(pod_id.0), None),
            Reach::Inbox { pod_id, inbox_id } => (Some(pod_id.0), Some(inbox_id.as_str().to_owned())),
            Reach::Inboxes(_) => return Err(StoreError::Failed("no key is made for several inboxes".to_owned())),
        };
        Ok(Self {
            organization_id: api_key.organization_id.0,
            api_key_id: api_key.api_key_id.0,
            prefix: stored(&api_key.prefix),
            name: stored(&api_key.name),
            pod_id,
            inbox_id,
            permissions: api_key.permissions.as_ref().map(to_json).transpose()?,
            expires_at: api_key.expires_at,
            used_at: api_key.used_at,
            created_at: api_key.created_at,
            updated_at: api_key.updated_at,
            member_id: api_key.member_id.map(|member_id| member_id.0),
        })
    }

    fn entity(self) -> Result<ApiKey, StoreError> {
        let reach = match (self.pod_id, self.inbox_id) {
            (None, _) => Reach::Organization,
            (Some(pod_id), None) => Reach::Pod(pod_id.into()),
            (Some(pod_id), Some(inbox_id)) => {
                Reach::Inbox { pod_id: pod_id.into(), inbox_id: InboxId::stored(inbox_id) }
            }
        };
        Ok(ApiKey {
            organization_id: self.organization_id.into(),
            api_key_id: self.api_key_id.into(),
            prefix: self.prefix,
            name: self.name,
            reach,
            member_id: self.member_id.map(Into::into),
            permissions: self.permissions.map(from_json).transpose()?,
            expires_at: self.expires_at,
            used_at: self.used_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// Keys by their hashes, with organization and member.
pub(crate) enum Keys {}

impl BatchedQuery for Keys {
    type Input = [u8; 32];
    type Output = Option<Credential>;

    async fn run(
        connection: &mut AsyncPgConnection,
        hashes: &[[u8; 32]],
    ) -> Result<Vec<Option<Credential>>, StoreError> {
        let found = credentials(connection, hashes).await?.into_iter();
        let found = found.map(|(hash, credential)| Ok((hash, credential?)));
        let found = found.collect::<Result<HashMap<_, _>, StoreError>>()?;
        Ok(hashes.iter().map(|hash| found.get(hash).cloned()).collect())
    }
}

/// Reads keys with their holders; each result may be unreadable.
async fn credentials(
    connection: &mut AsyncPgConnection,
    hashes: &[[u8; 32]],
) -> Result<Vec<([u8; 32], Result<Credential, StoreError>)>, StoreError> {
    let hashes: BTreeSet<&[u8]> = hashes.iter().map(<[u8; 32]>::as_slice).collect();
    let rows: Vec<(Vec<u8>, ApiKeyRow, OrganizationRow, Option<MemberRow>)> = api_key_hashes::table
        .inner_join(
            api_keys::table.on(api_keys::organization_id
                .eq(api_key_hashes::organization_id)
                .and(api_keys::api_key_id.eq(api_key_hashes::api_key_id))),
        )
        .inner_join(organizations::table.on(organizations::organization_id.eq(api_keys::organization_id)))
        .left_join(
            members::table.on(members::organization_id
                .eq(api_keys::organization_id)
                .and(api_keys::member_id.eq(members::member_id.nullable()))
                .and(members::removed_at.is_null())),
        )
        .filter(api_key_hashes::hash.eq_any(hashes))
        .filter(api_keys::revoked_at.is_null())
        .filter(api_keys::member_id.is_null().or(members::member_id.is_not_null()))
        .select((
            api_key_hashes::hash,
            ApiKeyRow::as_select(),
            OrganizationRow::as_select(),
            Option::<MemberRow>::as_select(),
        ))
        .load(connection)
        .await
        .map_err(failure)?;
    rows.into_iter()
        .map(|(hash, api_key, organization, member)| {
            let hash = hash.try_into().map_err(|_| StoreError::Failed("a hash of another length".to_owned()))?;
            Ok((hash, credential(api_key, organization, member)))
        })
        .collect()
}

fn credential(
    api_key: ApiKeyRow,
    organization: OrganizationRow,
    member: Option<MemberRow>,
) -> Result<Credential, StoreError> {
    let member = member.map(MemberRow::entity).transpose()?;
    Ok(Credential { api_key: api_key.entity()?, organization: organization.entity()?, member })
}

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
                created_at, updated_at, member_id
            FROM api_keys
            WHERE organization_id = $1 AND revoked_at IS NULL {of_pod} {of_inbox} {among} {behind}
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
        // A key revoked meanwhile has no row to update, and a later use may be stored already.
        let text = "UPDATE api_keys SET used_at = $3
            WHERE organization_id = $1 AND api_key_id = $2 AND revoked_at IS NULL AND (used_at IS NULL OR used_at < $3)";
        Sql::new(text).uuid(organization_id.0).uuid(api_key_id.0).time(at).run(&mut *self.connection().await?).await?;
        Ok(())
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
        self.will_tell([Signal::Access(organization_id)]);
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
        self.will_tell([Signal::Access(api_key.organization_id)]);
        Ok(written > 0)
    }

    async fn revoke_of_pod(
        &mut self,
        organization_id: OrganizationId,
        pod_id: PodId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        diesel::update(api_keys::table)
            .filter(api_keys::organization_id.eq(organization_id.0))
            .filter(api_keys::pod_id.eq(pod_id.0))
            .filter(api_keys::inbox_id.is_null())
            .filter(api_keys::revoked_at.is_null())
            .set((api_keys::revoked_at.eq(Some(at)), api_keys::updated_at.eq(at)))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        self.will_tell([Signal::Access(organization_id)]);
        Ok(())
    }

    async fn revoke_of_inbox(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        diesel::update(api_keys::table)
            .filter(api_keys::organization_id.eq(organization_id.0))
            .filter(api_keys::inbox_id.eq(inbox_id.as_str()))
            .filter(api_keys::revoked_at.is_null())
            .set((api_keys::revoked_at.eq(Some(at)), api_keys::updated_at.eq(at)))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        self.will_tell([Signal::Access(organization_id)]);
        Ok(())
    }
}
