//! Reads of connections, without revoked ones and those without an exchanged code.

use async_trait::async_trait;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{Connection, ConnectionId, OrganizationId, Page};
use inboxd_core::ports::{ConnectionQuery, ConnectionReads, StoreError};
use uuid::Uuid;

use super::rows::{CONNECTION, ConnectionRow};
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::sql::Sql;
use crate::store::PgStore;

#[async_trait]
impl ConnectionReads for PgStore {
    async fn connection(
        &self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
    ) -> Result<Option<Connection>, StoreError> {
        let text = format!(
            "SELECT {CONNECTION} FROM oauth_grants
            WHERE organization_id = $1 AND connection_id = $2 AND revoked_at IS NULL AND used_at IS NOT NULL"
        );
        let sql = Sql::new(text).uuid(organization_id.0).uuid(connection_id.0);
        let row = sql.row::<ConnectionRow>(&mut *self.connection().await?).await?;
        row.map(ConnectionRow::entity).transpose()
    }

    async fn list_connections(&self, query: &ConnectionQuery) -> Result<Page<Connection>, StoreError> {
        let text = format!(
            "SELECT {CONNECTION} FROM oauth_grants
            WHERE organization_id = $1 AND revoked_at IS NULL AND used_at IS NOT NULL AND expires_at > $3 {of_member}
                {behind}
            ORDER BY created_at {sort}, connection_id {sort} LIMIT $2",
            of_member = if query.member_id.is_some() { "AND member_id = $6" } else { "" },
            behind = behind_cursor(&query.page, "created_at, connection_id", "$4, $5"),
            sort = KeysetOrder::of(query.page.direction).sort,
        );
        let after = query.page.after.as_ref();
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .big(rows_to_read(query.page.limit))
            .time(query.live_at)
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .uuid(query.member_id.map_or_else(Uuid::nil, |member_id| member_id.0))
            .rows::<ConnectionRow>(&mut *self.connection().await?)
            .await?;
        let found = rows.into_iter().map(ConnectionRow::entity).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::of(found, query.page.limit, |connection| Cursor {
            time: connection.created_at,
            id: connection.connection_id.0.to_string(),
        }))
    }
}
