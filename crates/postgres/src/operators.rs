//! Operator actions across organizations: releasing an address, finding a key by its prefix.

use diesel::QueryableByName;
use diesel::sql_types::{Bool, Nullable, Text, Uuid as SqlUuid};
use inboxd_core::model::api_key::hash_key;
use inboxd_core::model::{ApiKeyId, OrganizationId};
use inboxd_core::ports::{StoreError, Tx as _};
use uuid::Uuid;

use crate::sql::Sql;
use crate::store::PgStore;

/// Result of the release of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressRelease {
    /// The address can be used again.
    Released,
    /// The address was never used.
    Unknown,
    /// A live inbox has the address.
    InUse,
    /// The messages of its deleted inbox are still being purged.
    BeingPurged,
}

/// An API key as operators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundKey {
    /// Organization of the key.
    pub organization_id: OrganizationId,
    /// Id of the key.
    pub api_key_id: ApiKeyId,
    /// Prefix of its plaintext.
    pub prefix: String,
    /// Name of the key.
    pub name: String,
}

#[derive(QueryableByName)]
struct FoundKeyRow {
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
    /// Releases the address of a deleted inbox, so that it can be used again.
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

    /// Returns the unrevoked keys that match a text: the plaintext, the beginning of the prefix, or the id. Returns a
    /// few at most.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn find_api_keys(&self, key: &str, id: Option<ApiKeyId>) -> Result<Vec<FoundKey>, StoreError> {
        let text = "SELECT organization_id, api_key_id, prefix, name FROM api_keys
            WHERE revoked_at IS NULL AND CASE WHEN $2::uuid IS NOT NULL THEN api_key_id = $2
                ELSE starts_with(prefix, $1) OR (organization_id, api_key_id) IN (
                    SELECT organization_id, api_key_id FROM api_key_hashes WHERE hash = $3) END
            ORDER BY created_at LIMIT 10";
        let rows = Sql::new(text)
            .text(key)
            .bind::<Nullable<SqlUuid>, _>(id.map(|id| id.0))
            .bytes(&hash_key(key))
            .rows::<FoundKeyRow>(&mut *self.connection().await?)
            .await?;
        let key = |row: FoundKeyRow| FoundKey {
            organization_id: row.organization_id.into(),
            api_key_id: row.api_key_id.into(),
            prefix: row.prefix,
            name: row.name,
        };
        Ok(rows.into_iter().map(key).collect())
    }
}
