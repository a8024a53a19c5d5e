//! Writes of domains.

use async_trait::async_trait;
use diesel::sql_types::{Bool, Nullable, Text, Uuid as SqlUuid};
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName, SelectableHelper};
use diesel_async::RunQueryDsl;
use inboxd_core::model::{DkimKey, Domain, DomainId, DomainName, InboxId, OrganizationId, PodId};
use inboxd_core::ports::{AskedDomain, DomainWrites, Standing, StoreError};
use inboxd_core::rules::domains::inbox_domain_policy::{DomainHolder, HeldDomain};
use time::OffsetDateTime;
use uuid::Uuid;

use super::conflicts::conflicts;
use super::keys;
use super::rows::{DomainRow, SERVES_NAME, status};
use crate::error::{expect_rows, failure};
use crate::json::to_json;
use crate::scalar_rows::CountRow;
use crate::schema::domains;
use crate::sql::Sql;
use crate::tx::PgTx;
use crate::usage::to_count;

/// Builds the query of known domains; $1 is the requesting organization, $2 the names.
fn held_statement() -> String {
    format!(
        "SELECT d.name, true AS own, d.domain_id, d.pod_id, d.status, {SERVES_NAME} AS serves_name, d.subdomains_enabled
        FROM domains d WHERE d.organization_id = $1 AND d.name = ANY($2) AND d.deleted_at IS NULL
        UNION ALL
        SELECT name, false, domain_id, NULL, '', false, false
        FROM proven_domains WHERE name = ANY($2) AND organization_id <> $1"
    )
}

/// $2 is the domain of the organization. The other one is found by the name, which never changes.
const LOCK_WITH_HOLDER: &str = "
    SELECT organization_id, domain_id, pod_id, client_id, name, status, feedback_enabled, subdomains_enabled, inbound_enabled,
        catch_all_inbox_id, records, verified_at, created_at, updated_at
    FROM domains
    WHERE deleted_at IS NULL AND (organization_id, domain_id) IN (
        SELECT $1, $2
        UNION ALL
        SELECT p.organization_id, p.domain_id
        FROM domains own JOIN proven_domains p ON p.name = own.name
        WHERE own.organization_id = $1 AND own.domain_id = $2)
    ORDER BY domain_id FOR NO KEY UPDATE OF domains";

/// $2 is the domain. Inboxes below a longer domain of the organization belong to that one.
const COUNT_INBOXES: &str = "
    SELECT count(*) AS count
    FROM inboxes i CROSS JOIN LATERAL (SELECT '.' || split_part(i.inbox_id, '@', 2) AS dotted) AS d
    WHERE i.organization_id = $1 AND i.deleted_at IS NULL AND right(d.dotted, length($2) + 1) = '.' || $2
        AND NOT EXISTS (
            SELECT FROM domains o
            WHERE o.organization_id = $1 AND o.deleted_at IS NULL AND length(o.name) > length($2)
                AND right(d.dotted, length(o.name) + 1) = '.' || o.name)";

/// Claims a name after any concurrent claim of it, and returns its owner.
const CLAIM: &str = "
    INSERT INTO proven_domains (name, organization_id, domain_id) VALUES ($1, $2, $3)
    ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name
        WHERE proven_domains.organization_id = $2 AND proven_domains.domain_id = $3";

#[derive(QueryableByName)]
struct HeldDomainRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Bool)]
    own: bool,
    #[diesel(sql_type = SqlUuid)]
    domain_id: Uuid,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pod_id: Option<Uuid>,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Bool)]
    serves_name: bool,
    #[diesel(sql_type = Bool)]
    subdomains_enabled: bool,
}

#[async_trait]
impl DomainWrites for PgTx {
    async fn standing(&mut self, asked: &AskedDomain) -> Result<Standing, StoreError> {
        conflicts(self.connection().await?, asked).await
    }

    async fn held(
        &mut self,
        organization_id: OrganizationId,
        names: &[DomainName],
    ) -> Result<Vec<HeldDomain>, StoreError> {
        let rows = Sql::new(held_statement())
            .uuid(organization_id.0)
            .texts(names.iter().map(DomainName::as_str))
            .rows::<HeldDomainRow>(self.connection().await?)
            .await?;
        rows.into_iter().map(held).collect()
    }

    async fn insert(&mut self, domain: &Domain, sealed_key: &[u8]) -> Result<(), StoreError> {
        diesel::insert_into(domains::table)
            .values((DomainRow::of(domain)?, domains::dkim_key.eq(Some(sealed_key))))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(())
    }

    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        domain_id: DomainId,
    ) -> Result<Option<Domain>, StoreError> {
        let row: Option<DomainRow> = domains::table
            .filter(domains::organization_id.eq(organization_id.0))
            .filter(domains::domain_id.eq(domain_id.0))
            .filter(domains::deleted_at.is_null())
            .select(DomainRow::as_select())
            .for_no_key_update()
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(DomainRow::entity).transpose()
    }

    async fn lock_with_holder(
        &mut self,
        organization_id: OrganizationId,
        domain_id: DomainId,
    ) -> Result<Option<(Domain, Option<Domain>)>, StoreError> {
        let rows = Sql::new(LOCK_WITH_HOLDER)
            .uuid(organization_id.0)
            .uuid(domain_id.0)
            .rows::<DomainRow>(self.connection().await?)
            .await?;
        let locked = rows.into_iter().map(DomainRow::entity).collect::<Result<Vec<_>, _>>()?;
        let (mut own, mut others): (Vec<_>, Vec<_>) = locked
            .into_iter()
            .partition(|domain| domain.organization_id == organization_id && domain.domain_id == domain_id);
        Ok(own.pop().map(|own| (own, others.pop())))
    }

    async fn update(&mut self, domain: &Domain) -> Result<(), StoreError> {
        let written = diesel::update(domains::table)
            .filter(domains::organization_id.eq(domain.organization_id.0))
            .filter(domains::domain_id.eq(domain.domain_id.0))
            .filter(domains::deleted_at.is_null())
            .set((
                domains::status.eq(domain.status.as_str()),
                domains::feedback_enabled.eq(domain.feedback_enabled),
                domains::subdomains_enabled.eq(domain.subdomains_enabled),
                domains::inbound_enabled.eq(domain.inbound_enabled),
                domains::catch_all_inbox_id.eq(domain.catch_all_inbox_id.as_ref().map(InboxId::as_str)),
                domains::records.eq(to_json(&domain.records)?),
                domains::verified_at.eq(domain.verified_at),
                domains::updated_at.eq(domain.updated_at),
            ))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        expect_rows(written, 1)
    }

    async fn count_inboxes(&mut self, domain: &Domain) -> Result<u64, StoreError> {
        let row: Option<CountRow> = Sql::new(COUNT_INBOXES)
            .uuid(domain.organization_id.0)
            .text(domain.name.as_str())
            .row(self.connection().await?)
            .await?;
        Ok(row.map_or(0, |row| to_count(row.count)))
    }

    async fn delete(&mut self, domain: &Domain, at: OffsetDateTime) -> Result<(), StoreError> {
        self.release(domain).await?;
        Sql::new("DELETE FROM dkim_keys WHERE organization_id = $1 AND name = $2")
            .uuid(domain.organization_id.0)
            .text(domain.name.as_str())
            .run(self.connection().await?)
            .await?;
        let written = diesel::update(domains::table)
            .filter(domains::organization_id.eq(domain.organization_id.0))
            .filter(domains::domain_id.eq(domain.domain_id.0))
            .filter(domains::deleted_at.is_null())
            .set((domains::deleted_at.eq(Some(at)), domains::updated_at.eq(at), domains::dkim_key.eq(None::<Vec<u8>>)))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        expect_rows(written, 1)
    }

    async fn claim(&mut self, domain: &Domain) -> Result<bool, StoreError> {
        let written = Sql::new(CLAIM)
            .text(domain.name.as_str())
            .uuid(domain.organization_id.0)
            .uuid(domain.domain_id.0)
            .run(self.connection().await?)
            .await?;
        Ok(written == 1)
    }

    async fn insert_dkim_key(&mut self, key: &DkimKey) -> Result<bool, StoreError> {
        keys::insert(self.connection().await?, key).await
    }

    async fn promote_dkim_key(&mut self, next: &DkimKey, at: OffsetDateTime) -> Result<(), StoreError> {
        keys::promote(self.connection().await?, next, at).await
    }

    async fn release(&mut self, domain: &Domain) -> Result<(), StoreError> {
        let text = "DELETE FROM proven_domains WHERE name = $1 AND organization_id = $2 AND domain_id = $3";
        Sql::new(text)
            .text(domain.name.as_str())
            .uuid(domain.organization_id.0)
            .uuid(domain.domain_id.0)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }
}

fn held(row: HeldDomainRow) -> Result<HeldDomain, StoreError> {
    let holder = if row.own {
        DomainHolder::Own {
            domain_id: row.domain_id.into(),
            pod_id: row.pod_id.map(PodId::from),
            status: status(&row.status)?,
            serves_name: row.serves_name,
            subdomains_enabled: row.subdomains_enabled,
        }
    } else {
        DomainHolder::Other
    };
    Ok(HeldDomain { name: DomainName::stored(row.name), holder })
}
