//! Removal of organizations: inaccessible at once, their rows deleted in batches.

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::{AddressClaims, StoreError};
use time::OffsetDateTime;

use crate::scalar_rows::OrganizationIdRow;
use crate::sql::Sql;

/// Tables that are not purged by organization, and the last one. Rows of objects go with the objects.
const NOT_PURGED: [&str; 5] = ["addresses", "blob_removals", "blobs", "proven_domains", "organizations"];

/// Tables with rows that other tables refer to, those that refer to one of them first. They are purged last, in this order.
const PARENTS: [&str; 7] = ["threads", "drafts", "files", "oauth_grants", "inboxes", "members", "pods"];

/// Tables with rows of organizations, and the columns of their primary keys.
const TABLES: &str = "
    SELECT c.relname::text AS name, (
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.place)
        FROM unnest(i.indkey::smallint[]) WITH ORDINALITY AS k(column_number, place)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.column_number
        WHERE k.place <= i.indnkeyatts) AS key
    FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND EXISTS (SELECT FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped)
        AND NOT c.relname = ANY($1)
    ORDER BY array_position($2, c.relname::text) NULLS FIRST, c.relname";

#[derive(QueryableByName)]
struct TableRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    key: String,
}

/// Locks an organization from before a time that was never verified, pays nothing, is under no legal hold and is not
/// suspended: a suspended one could sign up again after its removal.
///
/// `FOR NO KEY UPDATE` delays no check of a foreign key: units of work make these while they hold other rows.
pub(crate) async fn lock_unconfirmed(
    connection: &mut AsyncPgConnection,
    before: OffsetDateTime,
) -> Result<Option<OrganizationId>, StoreError> {
    let text = "SELECT organization_id FROM organizations
        WHERE verified_at IS NULL AND removed_at IS NULL AND suspended_at IS NULL AND created_at < $1 AND plan = 'free'
            AND NOT EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = organizations.organization_id)
        ORDER BY created_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED";
    let found = Sql::new(text).time(before).row::<OrganizationIdRow>(connection).await?;
    Ok(found.map(|found| found.organization_id.into()))
}

/// Makes an organization inaccessible.
pub(crate) async fn remove(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    claims: AddressClaims,
    at: OffsetDateTime,
) -> Result<(), StoreError> {
    for text in removing(claims) {
        Sql::new(text).uuid(organization_id.0).time(at).run(connection).await?;
    }
    Ok(())
}

/// Returns the statements that make an organization inaccessible, in lock order. Their values are its id and the time.
fn removing(claims: AddressClaims) -> [&'static str; 14] {
    [
        "UPDATE organizations SET removed_at = $2, updated_at = $2 WHERE organization_id = $1",
        "DELETE FROM verification_codes WHERE organization_id = $1",
        "DELETE FROM owner_emails WHERE organization_id = $1",
        "DELETE FROM proven_domains p USING domains d
            WHERE d.organization_id = $1 AND p.name = d.name AND p.organization_id = $1",
        // Deliveries lock the row of their inbox as shared: none begins behind this.
        "SELECT FROM inboxes WHERE organization_id = $1 AND deleted_at IS NULL ORDER BY inbox_id FOR UPDATE",
        match claims {
            AddressClaims::Released => {
                "DELETE FROM addresses a USING inboxes i
                    WHERE i.organization_id = $1 AND a.address = i.inbox_id AND a.organization_id = $1"
            }
            AddressClaims::Retained => {
                "UPDATE addresses a SET deleted_at = $2 FROM inboxes i
                    WHERE i.organization_id = $1 AND a.address = i.inbox_id AND a.organization_id = $1
                        AND a.deleted_at IS NULL"
            }
        },
        "UPDATE inboxes SET deleted_at = $2, updated_at = $2 WHERE organization_id = $1 AND deleted_at IS NULL",
        "DELETE FROM member_emails WHERE organization_id = $1",
        "UPDATE oauth_grants SET revoked_at = $2, updated_at = $2 WHERE organization_id = $1 AND revoked_at IS NULL",
        "DELETE FROM oauth_refresh_tokens WHERE organization_id = $1",
        "UPDATE api_keys SET revoked_at = $2, updated_at = $2 WHERE organization_id = $1 AND revoked_at IS NULL",
        "DELETE FROM webhooks WHERE organization_id = $1",
        "DELETE FROM polling_webhooks WHERE organization_id = $1",
        "DELETE FROM outgoing WHERE organization_id = $1 AND is_code",
    ]
}

/// Deletes up to `limit` rows of a removed organization with purged inboxes, and the organization with its last rows.
/// Returns 0 without such an organization, and `limit` otherwise.
pub(crate) async fn purge_removed(connection: &mut AsyncPgConnection, limit: u32) -> Result<u64, StoreError> {
    // No claim finds them any longer, and their contents belong to the inboxes.
    let queued = "DELETE FROM outgoing o USING (
            SELECT q.organization_id, q.outgoing_id FROM organizations g CROSS JOIN LATERAL (
                SELECT organization_id, outgoing_id FROM outgoing
                WHERE organization_id = g.organization_id LIMIT $1) q
            WHERE g.removed_at IS NOT NULL LIMIT $1) r
        WHERE o.organization_id = r.organization_id AND o.outgoing_id = r.outgoing_id";
    if Sql::new(queued).big(limit.into()).run(connection).await? > 0 {
        return Ok(u64::from(limit));
    }
    let text = "SELECT o.organization_id FROM organizations o
        WHERE o.removed_at IS NOT NULL
            AND NOT EXISTS (SELECT FROM inboxes i WHERE i.organization_id = o.organization_id AND i.purged_at IS NULL)
        ORDER BY o.removed_at LIMIT 1 FOR NO KEY UPDATE OF o SKIP LOCKED";
    let Some(OrganizationIdRow { organization_id }) = Sql::new(text).row(connection).await? else { return Ok(0) };
    let mut left = usize::try_from(limit).unwrap_or(usize::MAX);
    for TableRow { name, key } in Sql::new(TABLES).texts(NOT_PURGED).texts(PARENTS).rows(connection).await? {
        // By key: partitions of a table have rows with the same physical position.
        let text = format!(
            "DELETE FROM {name} WHERE organization_id = $1
                AND ({key}) IN (SELECT {key} FROM {name} WHERE organization_id = $1 LIMIT $2)"
        );
        let some = i64::try_from(left).unwrap_or(i64::MAX);
        left -= Sql::new(text).uncached().uuid(organization_id).big(some).run(connection).await?.min(left);
        if left == 0 {
            return Ok(u64::from(limit));
        }
    }
    Sql::new("DELETE FROM organizations WHERE organization_id = $1").uuid(organization_id).run(connection).await?;
    Ok(u64::from(limit))
}
