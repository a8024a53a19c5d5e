//! Suppressed addresses.

use async_trait::async_trait;
use diesel::{ExpressionMethods, Queryable, QueryableByName, Selectable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{OrganizationId, Page, PageRequest, Suppression, SuppressionReason};
use inboxd_core::ports::{StoreError, SuppressionQuery, SuppressionReads, SuppressionWrites};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use crate::accounts::rows::stored_address;
use crate::error::failure;
use crate::keyset::{KeysetOrder, behind_cursor, behind_key, rows_to_read};
use crate::schema::suppressions;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::store_metrics::count_suppressions;
use crate::tx::PgTx;

/// A row of `suppressions` of a known organization.
#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = suppressions, check_for_backend(diesel::pg::Pg))]
struct SuppressionRow {
    address: String,
    reason: String,
    created_at: OffsetDateTime,
}

impl SuppressionRow {
    fn entity(self, organization_id: OrganizationId) -> Result<Suppression, StoreError> {
        Ok(Suppression {
            organization_id,
            address: stored_address(&self.address)?,
            reason: stored_reason(&self.reason)?,
            created_at: self.created_at,
        })
    }
}

/// Returns the position of a suppressed address in its list.
fn place(suppression: &Suppression) -> Cursor {
    Cursor { time: suppression.created_at, id: suppression.address.normalized() }
}

fn entities(rows: Vec<SuppressionRow>, organization_id: OrganizationId) -> Result<Vec<Suppression>, StoreError> {
    rows.into_iter().map(|row| row.entity(organization_id)).collect()
}

/// Returns the suppressed ones of these addresses.
pub(crate) async fn suppressed(
    connection: &AsyncPgConnection,
    organization_id: OrganizationId,
    addresses: &[EmailAddress],
) -> Result<Vec<Suppression>, StoreError> {
    let normalized: Vec<String> = addresses.iter().map(EmailAddress::normalized).collect();
    // With `ANY` the planner may scan all rows of the organization, which are in this order.
    let text = "SELECT s.address, s.reason, s.created_at
        FROM (SELECT DISTINCT $1::uuid AS organization_id, unnest($2::text[]) AS address) wanted
        JOIN suppressions s USING (organization_id, address)
        ORDER BY s.address";
    let rows = Sql::new(text)
        .uuid(organization_id.0)
        .texts(normalized.iter().map(String::as_str))
        .rows_among::<SuppressionRow>(connection)
        .await?;
    entities(rows, organization_id)
}

#[async_trait]
impl SuppressionReads for PgStore {
    async fn suppressed(
        &self,
        organization_id: OrganizationId,
        addresses: &[EmailAddress],
    ) -> Result<Vec<Suppression>, StoreError> {
        suppressed(&*self.connection().await?, organization_id, addresses).await
    }

    async fn list_suppressions(&self, query: &SuppressionQuery) -> Result<Page<Suppression>, StoreError> {
        let text = format!(
            "SELECT address, reason, created_at FROM suppressions
            WHERE organization_id = $1 {behind}
            ORDER BY created_at {sort}, address {sort} LIMIT $2",
            behind = behind_cursor(&query.page, "created_at, address", "$3, $4"),
            sort = KeysetOrder::of(query.page.direction).sort,
        );
        let after = query.page.after.as_ref();
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .big(rows_to_read(query.page.limit))
            .optional_time(after.map(|cursor| cursor.time))
            .optional_text(after.map(|cursor| cursor.id.as_str()))
            .rows::<SuppressionRow>(&mut *self.connection().await?)
            .await?;
        Ok(Page::of(entities(rows, query.organization_id)?, query.page.limit, place))
    }

    async fn suppressions_by_address(
        &self,
        organization_id: OrganizationId,
        page: &PageRequest,
    ) -> Result<Page<Suppression>, StoreError> {
        let text = format!(
            "SELECT address, reason, created_at FROM suppressions
            WHERE organization_id = $1 {behind}
            ORDER BY address {sort} LIMIT $2",
            behind = behind_key(page, "address", "$3"),
            sort = KeysetOrder::of(page.direction).sort,
        );
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .big(rows_to_read(page.limit))
            .optional_text(page.after.as_ref().map(|cursor| cursor.id.as_str()))
            .rows::<SuppressionRow>(&mut *self.connection().await?)
            .await?;
        Ok(Page::of(entities(rows, organization_id)?, page.limit, place))
    }
}

#[async_trait]
impl SuppressionWrites for PgTx {
    async fn add(&mut self, suppression: &Suppression) -> Result<(), StoreError> {
        let added = diesel::insert_into(suppressions::table)
            .values((
                suppressions::organization_id.eq(suppression.organization_id.0),
                suppressions::address.eq(suppression.address.normalized()),
                suppressions::reason.eq(suppression.reason.as_str()),
                suppressions::created_at.eq(suppression.created_at),
            ))
            .on_conflict_do_nothing()
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        count_suppressions(added);
        Ok(())
    }
}

fn stored_reason(text: &str) -> Result<SuppressionReason, StoreError> {
    [SuppressionReason::Bounce, SuppressionReason::Complaint]
        .into_iter()
        .find(|reason| reason.as_str() == text)
        .ok_or_else(|| StoreError::Failed(format!("unknown reason of a suppression {text:?}")))
}
