//! Writes of connections.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{Connection, ConnectionId, InboxId, Member, MemberId, OrganizationId};
use inboxd_core::ports::{ConnectionWrites, Signal, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::rows::{CONNECTION, ConnectionRow};
use crate::json::to_json;
use crate::scalar_rows::CountRow;
use crate::sql::Sql;
use crate::tx::PgTx;
use crate::usage::to_count;

#[derive(QueryableByName)]
struct ConnectionIdRow {
    #[diesel(sql_type = SqlUuid)]
    connection_id: Uuid,
}

/// Revokes the connections of a locked member, and returns their ids. Their access tokens are keys of the member, and are
/// revoked with these.
pub(crate) async fn revoke_of_member(
    connection: &mut AsyncPgConnection,
    member: &Member,
    at: OffsetDateTime,
) -> Result<Vec<ConnectionId>, StoreError> {
    let revoke = "UPDATE oauth_grants SET revoked_at = $3, updated_at = $3
        WHERE organization_id = $1 AND member_id = $2 AND revoked_at IS NULL RETURNING connection_id";
    let delete_tokens = "DELETE FROM oauth_refresh_tokens t USING oauth_grants g
        WHERE g.organization_id = $1 AND g.member_id = $2 AND t.organization_id = $1
            AND t.connection_id = g.connection_id AND g.revoked_at = $3";
    let bound = |text| Sql::new(text).uuid(member.organization_id.0).uuid(member.member_id.0).time(at);
    let revoked = bound(revoke).rows::<ConnectionIdRow>(connection).await?;
    bound(delete_tokens).run(connection).await?;
    Ok(revoked.into_iter().map(|row| row.connection_id.into()).collect())
}

/// Reads a connection with a suffix of the statement: its lock.
async fn read(
    tx: &mut PgTx,
    organization_id: OrganizationId,
    connection_id: ConnectionId,
    suffix: &str,
) -> Result<Option<Connection>, StoreError> {
    let text =
        format!("SELECT {CONNECTION} FROM oauth_grants WHERE organization_id = $1 AND connection_id = $2 {suffix}");
    let sql = Sql::new(text).uuid(organization_id.0).uuid(connection_id.0);
    let row = sql.row::<ConnectionRow>(tx.connection().await?).await?;
    row.map(ConnectionRow::entity).transpose()
}

#[async_trait]
impl ConnectionWrites for PgTx {
    async fn insert(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let text = format!(
            "INSERT INTO oauth_grants ({CONNECTION})
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
        );
        Sql::new(text)
            .uuid(connection.organization_id.0)
            .uuid(connection.connection_id.0)
            .uuid(connection.member_id.0)
            .text(&connection.client_id)
            .text(&connection.client_name)
            .text(&connection.redirect_host)
            .json(to_json(&connection.permissions)?)
            .texts(connection.inbox_ids.iter().map(InboxId::as_str))
            .text(&connection.resource)
            .time(connection.created_at)
            .time(connection.updated_at)
            .optional_time(connection.used_at)
            .time(connection.expires_at)
            .optional_time(connection.revoked_at)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn count(
        &mut self,
        organization_id: OrganizationId,
        member_id: MemberId,
        now: OffsetDateTime,
    ) -> Result<u64, StoreError> {
        let text = "SELECT count(*) AS count FROM oauth_grants
            WHERE organization_id = $1 AND member_id = $2 AND revoked_at IS NULL AND expires_at > $3";
        let sql = Sql::new(text).uuid(organization_id.0).uuid(member_id.0).time(now);
        let row = sql.row::<CountRow>(self.connection().await?).await?;
        Ok(row.map_or(0, |row| to_count(row.count)))
    }

    async fn find(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
    ) -> Result<Option<Connection>, StoreError> {
        read(self, organization_id, connection_id, "").await
    }

    async fn hold(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
    ) -> Result<Option<Connection>, StoreError> {
        read(self, organization_id, connection_id, "AND revoked_at IS NULL FOR SHARE").await
    }

    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
    ) -> Result<Option<Connection>, StoreError> {
        read(self, organization_id, connection_id, "AND revoked_at IS NULL FOR NO KEY UPDATE").await
    }

    async fn update(&mut self, connection: &Connection) -> Result<bool, StoreError> {
        let text = "UPDATE oauth_grants SET permissions = $3, inbox_ids = $4, used_at = $5, updated_at = $6,
                expires_at = $7
            WHERE organization_id = $1 AND connection_id = $2 AND revoked_at IS NULL";
        let written = Sql::new(text)
            .uuid(connection.organization_id.0)
            .uuid(connection.connection_id.0)
            .json(to_json(&connection.permissions)?)
            .texts(connection.inbox_ids.iter().map(InboxId::as_str))
            .optional_time(connection.used_at)
            .time(connection.updated_at)
            .time(connection.expires_at)
            .run(self.connection().await?)
            .await?;
        self.add_signals([Signal::Access(connection.organization_id)]);
        Ok(written > 0)
    }

    async fn revoke(
        &mut self,
        organization_id: OrganizationId,
        connection_id: ConnectionId,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let connection = self.connection().await?;
        let text = "UPDATE oauth_grants SET revoked_at = $3, updated_at = $3
            WHERE organization_id = $1 AND connection_id = $2 AND revoked_at IS NULL";
        let sql = Sql::new(text).uuid(organization_id.0).uuid(connection_id.0).time(at);
        let revoked = sql.run(connection).await?;
        let text = "UPDATE api_keys SET revoked_at = $3, updated_at = $3
            WHERE organization_id = $1 AND connection_id = $2 AND revoked_at IS NULL";
        Sql::new(text).uuid(organization_id.0).uuid(connection_id.0).time(at).run(connection).await?;
        let text = "DELETE FROM oauth_refresh_tokens WHERE organization_id = $1 AND connection_id = $2";
        Sql::new(text).uuid(organization_id.0).uuid(connection_id.0).run(connection).await?;
        self.add_signals([Signal::Access(organization_id)]);
        Ok(revoked > 0)
    }

    async fn purge(&mut self, now: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let purged = [
            ("used_at IS NULL AND created_at < $1", "created_at", now - Connection::UNUSED_RETENTION),
            ("least(expires_at, revoked_at) < $1", "least(expires_at, revoked_at)", now - Connection::ENDED_RETENTION),
            ("used_at < $1", "used_at", now - Connection::MAX_IDLE),
        ];
        let mut most = 0;
        for (condition, order, before) in purged {
            let text = format!(
                "WITH old AS MATERIALIZED (
                    SELECT organization_id, connection_id FROM oauth_grants WHERE {condition}
                    ORDER BY {order} LIMIT $2 FOR UPDATE SKIP LOCKED
                ), tokens AS (
                    DELETE FROM oauth_refresh_tokens t USING old o
                    WHERE t.organization_id = o.organization_id AND t.connection_id = o.connection_id
                )
                DELETE FROM oauth_grants g USING old o
                WHERE g.organization_id = o.organization_id AND g.connection_id = o.connection_id"
            );
            let sql = Sql::new(text).time(before).big(i64::from(limit));
            most = most.max(sql.run(self.connection().await?).await?);
        }
        Ok(u64::try_from(most).unwrap_or(u64::MAX))
    }
}
