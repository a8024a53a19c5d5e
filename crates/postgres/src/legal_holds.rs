//! Legal holds.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{InboxId, LegalHold, LegalHoldScope, OrganizationId};
use inboxd_core::ports::{LegalHoldReads, LegalHoldWrites, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::json::{StoredJson, from_json, to_json};
use crate::schema::legal_holds;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::text::stored;
use crate::tx::PgTx;

/// Columns of [`LegalHoldRow`].
const HOLD: &str = "organization_id, inbox_id, reason, placed_by, placed_at";
/// Inbox of a hold of the whole organization.
const WHOLE: &str = "";

#[derive(QueryableByName)]
#[diesel(table_name = legal_holds)]
struct LegalHoldRow {
    organization_id: Uuid,
    inbox_id: String,
    reason: String,
    placed_by: StoredJson,
    placed_at: OffsetDateTime,
}

impl LegalHoldRow {
    fn entity(self) -> Result<LegalHold, StoreError> {
        let inbox_id = (self.inbox_id != WHOLE).then(|| InboxId::stored(self.inbox_id));
        Ok(LegalHold {
            scope: LegalHoldScope { organization_id: self.organization_id.into(), inbox_id },
            reason: self.reason,
            placed_by: from_json(self.placed_by)?,
            placed_at: self.placed_at,
        })
    }
}

fn inbox_of(scope: &LegalHoldScope) -> &str {
    scope.inbox_id.as_ref().map_or(WHOLE, InboxId::as_str)
}

/// Returns the first hold of an organization with a condition on the inbox `$2`.
async fn first(
    connection: &mut AsyncPgConnection,
    scope: &LegalHoldScope,
    condition: &str,
) -> Result<Option<LegalHold>, StoreError> {
    let text =
        format!("SELECT {HOLD} FROM legal_holds WHERE organization_id = $1 AND {condition} ORDER BY inbox_id LIMIT 1");
    let row = Sql::new(text).uuid(scope.organization_id.0).text(inbox_of(scope)).row::<LegalHoldRow>(connection);
    row.await?.map(LegalHoldRow::entity).transpose()
}

#[async_trait]
impl LegalHoldReads for PgStore {
    async fn legal_hold(&self, scope: &LegalHoldScope) -> Result<Option<LegalHold>, StoreError> {
        first(&mut *self.connection().await?, scope, "inbox_id = $2").await
    }
}

#[async_trait]
impl LegalHoldWrites for PgTx {
    async fn find(&mut self, scope: &LegalHoldScope) -> Result<Option<LegalHold>, StoreError> {
        first(self.connection().await?, scope, "inbox_id = $2").await
    }

    async fn covering(&mut self, scope: &LegalHoldScope) -> Result<Option<LegalHold>, StoreError> {
        first(self.connection().await?, scope, "inbox_id IN ('', $2)").await
    }

    async fn any(&mut self, organization_id: OrganizationId) -> Result<Option<LegalHold>, StoreError> {
        let scope = LegalHoldScope { organization_id, inbox_id: None };
        first(self.connection().await?, &scope, "inbox_id >= $2").await
    }

    async fn put(&mut self, hold: &LegalHold) -> Result<(), StoreError> {
        let text = "INSERT INTO legal_holds (organization_id, inbox_id, reason, placed_by, placed_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT ON CONSTRAINT legal_holds_pkey
                DO UPDATE SET reason = excluded.reason, placed_by = excluded.placed_by";
        let reason = stored(&hold.reason);
        Sql::new(text)
            .uuid(hold.scope.organization_id.0)
            .text(inbox_of(&hold.scope))
            .text(&reason)
            .json(to_json(&hold.placed_by)?)
            .time(hold.placed_at)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn remove(&mut self, scope: &LegalHoldScope) -> Result<(), StoreError> {
        Sql::new("DELETE FROM legal_holds WHERE organization_id = $1 AND inbox_id = $2")
            .uuid(scope.organization_id.0)
            .text(inbox_of(scope))
            .run(self.connection().await?)
            .await?;
        Ok(())
    }
}
