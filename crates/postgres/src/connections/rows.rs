//! Rows of `oauth_grants`.

use diesel::{Queryable, QueryableByName, Selectable};
use inboxd_core::model::{Connection, InboxId};
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::json::{StoredJson, from_json};
use crate::schema::oauth_grants;

/// A row of `oauth_grants`.
#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = oauth_grants, check_for_backend(diesel::pg::Pg))]
pub(crate) struct ConnectionRow {
    organization_id: Uuid,
    connection_id: Uuid,
    member_id: Uuid,
    client_id: String,
    client_name: String,
    redirect_host: String,
    permissions: StoredJson,
    inbox_ids: Vec<String>,
    resource: String,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
    used_at: Option<OffsetDateTime>,
    expires_at: OffsetDateTime,
    revoked_at: Option<OffsetDateTime>,
}

/// The columns of a [`ConnectionRow`].
pub(super) const CONNECTION: &str = "organization_id, connection_id, member_id, client_id, client_name, redirect_host,
    permissions, inbox_ids, resource, created_at, updated_at, used_at, expires_at, revoked_at";

impl ConnectionRow {
    /// Returns the connection of the row.
    pub(crate) fn entity(self) -> Result<Connection, StoreError> {
        Ok(Connection {
            organization_id: self.organization_id.into(),
            connection_id: self.connection_id.into(),
            member_id: self.member_id.into(),
            client_id: self.client_id,
            client_name: self.client_name,
            redirect_host: self.redirect_host,
            permissions: from_json(self.permissions)?,
            inbox_ids: self.inbox_ids.into_iter().map(InboxId::stored).collect(),
            resource: self.resource,
            created_at: self.created_at,
            updated_at: self.updated_at,
            used_at: self.used_at,
            expires_at: self.expires_at,
            revoked_at: self.revoked_at,
        })
    }
}
