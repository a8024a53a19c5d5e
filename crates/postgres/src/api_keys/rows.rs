//! Rows of `api_keys`.

use diesel::{Insertable, Queryable, QueryableByName, Selectable};
use inboxd_core::model::{ApiKey, InboxId, Reach};
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::json::{StoredJson, from_json, to_json};
use crate::schema::api_keys;
use crate::text::stored;

/// A row of `api_keys`, without its revocation.
#[derive(Queryable, QueryableByName, Selectable, Insertable)]
#[diesel(table_name = api_keys, check_for_backend(diesel::pg::Pg))]
pub(crate) struct ApiKeyRow {
    pub(super) organization_id: Uuid,
    pub(super) api_key_id: Uuid,
    prefix: String,
    pub(super) name: String,
    pod_id: Option<Uuid>,
    inbox_id: Option<String>,
    pub(super) permissions: Option<StoredJson>,
    expires_at: Option<OffsetDateTime>,
    used_at: Option<OffsetDateTime>,
    created_at: OffsetDateTime,
    pub(super) updated_at: OffsetDateTime,
    member_id: Option<Uuid>,
    connection_id: Option<Uuid>,
}

impl ApiKeyRow {
    /// Returns the row of a key.
    ///
    /// # Errors
    /// [`StoreError::Failed`] for a key of several inboxes.
    pub(super) fn of(api_key: &ApiKey) -> Result<Self, StoreError> {
        let (pod_id, inbox_id) = match &api_key.reach {
            Reach::Organization => (None, None),
            Reach::Pod(pod_id) => (Some(pod_id.0), None),
            Reach::Inbox { pod_id, inbox_id } => (Some(pod_id.0), Some(inbox_id.as_str().to_owned())),
            Reach::Inboxes(_) => {
                return Err(StoreError::Failed("a stored key cannot be limited to several inboxes".to_owned()));
            }
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
            connection_id: api_key.connection_id.map(|connection_id| connection_id.0),
        })
    }

    /// Returns the key of the row.
    pub(crate) fn entity(self) -> Result<ApiKey, StoreError> {
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
            connection_id: self.connection_id.map(Into::into),
            permissions: self.permissions.map(from_json).transpose()?,
            expires_at: self.expires_at,
            used_at: self.used_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}
