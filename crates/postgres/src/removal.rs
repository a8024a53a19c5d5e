//! Removal of whole organizations: out of reach at once, their rows in batches.

use diesel::QueryableByName;
use diesel::sql_types::{Text, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::sql::Sql;

/// The statements that put an organization out of reach, given its id and the time, in the order of locks.
const REMOVE: [&str; 10] = [
    "UPDATE organizations SET removed_at = $2, updated_at = $2 WHERE organization_id = $1",
    "DELETE FROM verification_codes WHERE organization_id = $1",
    "DELETE FROM owner_emails WHERE organization_id = $1",
    "DELETE FROM proven_domains p USING domains d
        WHERE d.organization_id = $1 AND p.name = d.name AND p.organization_id = $1",
    // Deliveries into an inbox hold its row: none begins behind this.
    "SELECT FROM inboxes WHERE organization_id = $1 AND deleted_at IS NULL ORDER BY inbox_id FOR UPDATE",
    "DELETE FROM addresses a USING inboxes i
        WHERE i.organization_id = $1 AND a.address = i.inbox_id AND a.organization_id = $1",
    "UPDATE inboxes SET deleted_at = $2, updated_at = $2 WHERE organization_id = $1 AND deleted_at IS NULL",
    "DELETE FROM member_emails WHERE organization_id = $1",
    "UPDATE api_keys SET revoked_at = $2, updated_at = $2 WHERE organization_id = $1 AND revoked_at IS NULL",
    "DELETE FROM webhooks WHERE organization_id = $1",
];

/// Directories whose rows are found by other columns, and went when the organization was removed; and tables that go in batches.
const NOT_WHOLE: [&str; 4] = ["addresses", "proven_domains", "events", "feed"];

#[derive(QueryableByName)]
struct OrganizationKey {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
}

#[derive(QueryableByName)]
struct TableName {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Locks an organization that signed up before this, was never verified and pays for nothing.
pub(crate) async fn lock_unconfirmed(
    connection: &mut AsyncPgConnection,
    before: OffsetDateTime,
) -> Result<Option<OrganizationId>, StoreError> {
    let text = "SELECT organization_id FROM organizations
        WHERE verified_at IS NULL AND removed_at IS NULL AND created_at < $1 AND plan = 'free'
        ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED";
    let found = Sql::new(text).time(before).row::<OrganizationKey>(connection).await?;
    Ok(found.map(|found| found.organization_id.into()))
}

/// Puts an organization out of reach and frees its addresses.
pub(crate) async fn remove(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    at: OffsetDateTime,
) -> Result<(), StoreError> {
    for text in REMOVE {
        Sql::new(text).uuid(organization_id.0).time(at).run(connection).await?;
    }
    Ok(())
}

/// Deletes up to about `limit` rows of removed organizations; the last ones of each in one go.
pub(crate) async fn purge_removed(connection: &mut AsyncPgConnection, limit: u32) -> Result<u64, StoreError> {
    // Mail that waits in the queue leaves first, and inboxes are emptied elsewhere.
    let text = "SELECT o.organization_id FROM organizations o
        WHERE o.removed_at IS NOT NULL
            AND NOT EXISTS (SELECT FROM inboxes i WHERE i.organization_id = o.organization_id AND i.purged_at IS NULL)
            AND NOT EXISTS (SELECT FROM outgoing q WHERE q.organization_id = o.organization_id)
        ORDER BY o.removed_at LIMIT 1 FOR UPDATE OF o SKIP LOCKED";
    let Some(OrganizationKey { organization_id }) = Sql::new(text).row(connection).await? else { return Ok(0) };
    for text in [
        "DELETE FROM events WHERE organization_id = $1 AND (created_at, event_id) IN
            (SELECT created_at, event_id FROM events WHERE organization_id = $1 LIMIT $2)",
        "DELETE FROM feed WHERE organization_id = $1 AND (sequenced_at, position) IN
            (SELECT sequenced_at, position FROM feed WHERE organization_id = $1 LIMIT $2)",
    ] {
        let deleted = Sql::new(text).uuid(organization_id).big(i64::from(limit)).run(connection).await?;
        if deleted > 0 {
            return Ok(u64::from(limit));
        }
    }
    for table in tables(connection).await? {
        let text = format!("DELETE FROM {table} WHERE organization_id = $1");
        Sql::new(text).uncached().uuid(organization_id).run(connection).await?;
    }
    Ok(u64::from(limit))
}

/// Returns every table that is led by an organization, but for those of [`NOT_WHOLE`].
async fn tables(connection: &mut AsyncPgConnection) -> Result<Vec<String>, StoreError> {
    let text = "SELECT c.relname::text AS name FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND NOT c.relname = ANY($1)
        ORDER BY c.relname";
    let found = Sql::new(text).texts(NOT_WHOLE).rows::<TableName>(connection).await?;
    Ok(found.into_iter().map(|table| table.name).collect())
}
