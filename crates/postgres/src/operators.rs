//! Acts of operators across organizations: removing one, releasing an address, finding a key by its prefix.

use diesel::QueryableByName;
use diesel::sql_types::{Bool, Nullable, Text, Uuid as SqlUuid};
use inboxd_core::model::{ApiKeyId, OrganizationId};
use inboxd_core::ports::{Signal, StoreError, Tx as _};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::sql::Sql;
use crate::store::PgStore;

/// What takes everything from an organization at once, in the order of locks. What is left nobody can reach; the purge
/// removes it. Each is given the organization and the time.
const DELETE: &[&str] = &[
    "SELECT FROM inboxes WHERE organization_id = $1 AND deleted_at IS NULL AND $2::timestamptz IS NOT NULL
        ORDER BY inbox_id FOR UPDATE",
    "UPDATE inboxes SET deleted_at = $2, updated_at = $2 WHERE organization_id = $1 AND deleted_at IS NULL",
    "UPDATE addresses SET deleted_at = $2
        WHERE address = ANY(ARRAY(SELECT inbox_id FROM inboxes WHERE organization_id = $1)) AND deleted_at IS NULL",
    "UPDATE members SET removed_at = $2, updated_at = $2 WHERE organization_id = $1 AND removed_at IS NULL",
    "UPDATE api_keys SET revoked_at = $2, updated_at = $2 WHERE organization_id = $1 AND revoked_at IS NULL",
    "UPDATE domains SET deleted_at = $2, updated_at = $2 WHERE organization_id = $1 AND deleted_at IS NULL",
    "DELETE FROM proven_domains WHERE organization_id = $1 AND $2::timestamptz IS NOT NULL",
    "DELETE FROM webhooks WHERE organization_id = $1 AND $2::timestamptz IS NOT NULL",
    "DELETE FROM outgoing WHERE organization_id = $1 AND $2::timestamptz IS NOT NULL",
    "DELETE FROM inbox_usage WHERE organization_id = $1 AND $2::timestamptz IS NOT NULL",
    "DELETE FROM owner_emails WHERE organization_id = $1 AND $2::timestamptz IS NOT NULL",
    "DELETE FROM member_emails WHERE organization_id = $1 AND $2::timestamptz IS NOT NULL",
    "DELETE FROM verification_codes WHERE organization_id = $1 AND $2::timestamptz IS NOT NULL",
];

/// Every table with rows of organizations, but for the two that go last and never.
const TABLES: &str = "
    SELECT c.relname::text COLLATE \"C\" AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND a.attname = 'organization_id' AND NOT a.attisdropped AND c.relname NOT IN ('organizations', 'addresses')
    ORDER BY 1";

/// A deleted organization whose inboxes are empty.
const EMPTIED: &str = "
    SELECT o.organization_id FROM organizations o
    WHERE o.deleted_at IS NOT NULL AND NOT EXISTS (
        SELECT FROM inboxes i WHERE i.organization_id = o.organization_id AND i.purged_at IS NULL)
    ORDER BY o.deleted_at LIMIT 1 FOR NO KEY UPDATE OF o SKIP LOCKED";

/// Whether an address was released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressRelease {
    /// It can be minted again.
    Released,
    /// Nobody has ever minted it.
    Unknown,
    /// It is that of a live inbox.
    InUse,
    /// The mail of its deleted inbox is still being removed.
    BeingPurged,
}

/// An API key, as operators find it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundKey {
    /// Its organization.
    pub organization_id: OrganizationId,
    /// Its id.
    pub api_key_id: ApiKeyId,
    /// The beginning of its text.
    pub prefix: String,
    /// Its name.
    pub name: String,
}

#[derive(QueryableByName)]
struct KeyRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    api_key_id: Uuid,
    #[diesel(sql_type = Text)]
    prefix: String,
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct OrganizationKey {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
}

#[derive(QueryableByName)]
struct TableRow {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct AddressRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = Text)]
    inbox_id: String,
    #[diesel(sql_type = Bool)]
    is_deleted: bool,
    #[diesel(sql_type = Nullable<Bool>)]
    is_purged: Option<bool>,
}

impl PgStore {
    /// Deletes an organization: its keys are dead at once, nothing of it is sent, and its owner address is free. Its
    /// addresses stay claimed. Answers whether there was one.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn delete_organization(&self, of: OrganizationId, at: OffsetDateTime) -> Result<bool, StoreError> {
        let mut tx = self.unit_of_work().await?;
        let connection = tx.connection().await?;
        let text =
            "SELECT organization_id FROM organizations WHERE organization_id = $1 AND deleted_at IS NULL FOR UPDATE";
        if Sql::new(text).uuid(of.0).row::<OrganizationKey>(connection).await?.is_none() {
            return Ok(false);
        }
        for text in DELETE {
            Sql::new(*text).uuid(of.0).time(at).run(connection).await?;
        }
        let text = "UPDATE organizations SET deleted_at = $2, updated_at = $2 WHERE organization_id = $1";
        Sql::new(text).uuid(of.0).time(at).run(connection).await?;
        tx.will_tell([Signal::Access(of)]);
        Box::new(tx).commit().await?;
        Ok(true)
    }

    /// Removes some of what a deleted organization has left, once its inboxes are empty: up to `limit` rows of each table.
    /// Answers whether there may be more.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn purge_deleted_organizations(&self, limit: u32) -> Result<bool, StoreError> {
        let mut tx = self.unit_of_work().await?;
        let connection = tx.connection().await?;
        let Some(OrganizationKey { organization_id }) = Sql::new(EMPTIED).row(connection).await? else {
            return Ok(false);
        };
        let mut is_more = false;
        for TableRow { name } in Sql::new(TABLES).rows(connection).await? {
            // The same place may be one in several partitions: rows of others are none of ours.
            let text = format!(
                "DELETE FROM {name} WHERE organization_id = $1
                    AND ctid = ANY(ARRAY(SELECT ctid FROM {name} WHERE organization_id = $1 LIMIT $2))"
            );
            let removed = Sql::new(text).uncached().uuid(organization_id).big(limit.into()).run(connection).await?;
            is_more |= removed >= usize::try_from(limit).unwrap_or(usize::MAX);
        }
        if !is_more {
            let text = "DELETE FROM organizations WHERE organization_id = $1";
            Sql::new(text).uuid(organization_id).run(connection).await?;
        }
        Box::new(tx).commit().await?;
        Ok(true)
    }

    /// Releases the address of a deleted inbox, so that it can be minted again.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn release_address(&self, address: &str) -> Result<AddressRelease, StoreError> {
        let mut tx = self.unit_of_work().await?;
        let connection = tx.connection().await?;
        let text = "SELECT a.organization_id, a.inbox_id, a.deleted_at IS NOT NULL AS is_deleted,
                (SELECT i.purged_at IS NOT NULL FROM inboxes i
                    WHERE i.organization_id = a.organization_id AND i.inbox_id = a.inbox_id) AS is_purged
            FROM addresses a WHERE a.address = $1 FOR UPDATE OF a";
        let Some(found) = Sql::new(text).text(address).row::<AddressRow>(connection).await? else {
            return Ok(AddressRelease::Unknown);
        };
        if !found.is_deleted {
            return Ok(AddressRelease::InUse);
        }
        if found.is_purged == Some(false) {
            return Ok(AddressRelease::BeingPurged);
        }
        let text = "DELETE FROM inboxes WHERE organization_id = $1 AND inbox_id = $2 AND purged_at IS NOT NULL";
        Sql::new(text).uuid(found.organization_id).text(&found.inbox_id).run(connection).await?;
        Sql::new("DELETE FROM addresses WHERE address = $1").text(address).run(connection).await?;
        Box::new(tx).commit().await?;
        Ok(AddressRelease::Released)
    }

    /// Returns the unrevoked keys whose prefix begins with a text, or the one of an id; a few at most.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn find_api_keys(&self, prefix: &str, id: Option<ApiKeyId>) -> Result<Vec<FoundKey>, StoreError> {
        let text = "SELECT organization_id, api_key_id, prefix, name FROM api_keys
            WHERE revoked_at IS NULL AND CASE WHEN $2::uuid IS NULL THEN starts_with(prefix, $1) ELSE api_key_id = $2 END
            ORDER BY created_at LIMIT 10";
        let rows = Sql::new(text)
            .text(prefix)
            .bind::<Nullable<SqlUuid>, _>(id.map(|id| id.0))
            .rows::<KeyRow>(&mut *self.connection().await?)
            .await?;
        let key = |row: KeyRow| FoundKey {
            organization_id: row.organization_id.into(),
            api_key_id: row.api_key_id.into(),
            prefix: row.prefix,
            name: row.name,
        };
        Ok(rows.into_iter().map(key).collect())
    }
}
