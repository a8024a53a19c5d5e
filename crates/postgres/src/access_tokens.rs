//! Access tokens: the rows of `api_keys` with a connection.

use diesel_async::AsyncPgConnection;
use inboxd_core::model::{ApiKeyId, ConnectionId, OrganizationId};
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;

use crate::sql::Sql;

/// Records the use of a key and of its connection. A locked connection is skipped: its lock precedes that of the key.
pub(crate) async fn touch_key(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    api_key_id: ApiKeyId,
    at: OffsetDateTime,
) -> Result<(), StoreError> {
    // A key revoked meanwhile has no row to update, and a later use may be stored already.
    let text = "WITH touched AS (
            UPDATE api_keys SET used_at = $3
            WHERE organization_id = $1 AND api_key_id = $2 AND revoked_at IS NULL AND (used_at IS NULL OR used_at < $3)
            RETURNING organization_id, connection_id
        ), free AS (
            SELECT g.organization_id, g.connection_id FROM touched t
            JOIN oauth_grants g ON g.organization_id = t.organization_id AND g.connection_id = t.connection_id
            WHERE g.used_at < $3
            FOR NO KEY UPDATE OF g SKIP LOCKED
        )
        UPDATE oauth_grants g SET used_at = $3 FROM free
        WHERE g.organization_id = free.organization_id AND g.connection_id = free.connection_id";
    Sql::new(text).uuid(organization_id.0).uuid(api_key_id.0).time(at).run(connection).await?;
    Ok(())
}

/// Deletes the access tokens of a connection except the newest ones.
pub(crate) async fn limit(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    connection_id: ConnectionId,
    retained: u32,
) -> Result<(), StoreError> {
    let text = "WITH old AS (
            SELECT organization_id, api_key_id FROM api_keys
            WHERE organization_id = $1 AND connection_id = $2
            ORDER BY created_at DESC, api_key_id DESC OFFSET $3
        ), deleted AS (
            DELETE FROM api_keys k USING old
            WHERE k.organization_id = old.organization_id AND k.api_key_id = old.api_key_id
            RETURNING k.organization_id, k.api_key_id
        )
        DELETE FROM api_key_hashes h USING deleted
        WHERE h.organization_id = deleted.organization_id AND h.api_key_id = deleted.api_key_id";
    let sql = Sql::new(text).uuid(organization_id.0).uuid(connection_id.0).big(i64::from(retained));
    sql.run(connection).await?;
    Ok(())
}

/// Deletes expired access tokens. Returns the number of deleted tokens.
pub(crate) async fn purge(
    connection: &mut AsyncPgConnection,
    before: OffsetDateTime,
    limit: u32,
) -> Result<u64, StoreError> {
    let text = "WITH old AS (
            SELECT organization_id, api_key_id FROM api_keys
            WHERE connection_id IS NOT NULL AND expires_at < $1
            ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
        ), deleted AS (
            DELETE FROM api_keys k USING old
            WHERE k.organization_id = old.organization_id AND k.api_key_id = old.api_key_id
            RETURNING k.organization_id, k.api_key_id
        )
        DELETE FROM api_key_hashes h USING deleted
        WHERE h.organization_id = deleted.organization_id AND h.api_key_id = deleted.api_key_id";
    let deleted = Sql::new(text).time(before).big(i64::from(limit)).run(connection).await?;
    Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
}
