//! Questions about domains. Deleted ones are not there.

use std::collections::HashSet;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::Text;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{Domain, DomainId, DomainName, OrganizationId, Page};
use inboxd_core::ports::{AskedDomain, DomainQuery, DomainReads, Standing, StoreError};
use inboxd_mail::EmailAddress;
use uuid::Uuid;

use super::rows::{DOMAIN, DomainRow};
use super::standing::standing;
use crate::keyset::{Order, behind_cursor, cursor_uuid, rows_to_read};
use crate::sql::Sql;
use crate::store::PgStore;

/// Addresses of live inboxes on proven domains of their organizations; $1 and $2 pair each address with every name that
/// is its domain or lies above it.
const ON_PROVEN: &str = "
    SELECT DISTINCT a.address
    FROM unnest($1::text[], $2::text[]) AS wanted(address, name)
    JOIN addresses a ON a.address = wanted.address AND a.deleted_at IS NULL
    JOIN proven_domains p ON p.name = wanted.name AND p.organization_id = a.organization_id";

#[derive(QueryableByName)]
struct AddressRow {
    #[diesel(sql_type = Text)]
    address: String,
}

#[async_trait]
impl DomainReads for PgStore {
    async fn domain(&self, organization_id: OrganizationId, domain_id: DomainId) -> Result<Option<Domain>, StoreError> {
        let text = format!(
            "SELECT {DOMAIN} FROM domains WHERE organization_id = $1 AND domain_id = $2 AND deleted_at IS NULL"
        );
        let row: Option<DomainRow> =
            Sql::new(text).uuid(organization_id.0).uuid(domain_id.0).row(&mut *self.connection().await?).await?;
        row.map(DomainRow::entity).transpose()
    }

    async fn list_domains(&self, query: &DomainQuery) -> Result<Page<Domain>, StoreError> {
        let text = format!(
            "SELECT {DOMAIN} FROM domains
            WHERE organization_id = $1 AND deleted_at IS NULL {of_pod} {behind}
            ORDER BY created_at {sort}, domain_id {sort} LIMIT $2",
            of_pod = if query.pod_id.is_some() { "AND pod_id = $3" } else { "" },
            behind = behind_cursor(&query.page, "created_at, domain_id", "$4, $5"),
            sort = Order::of(query.page.direction).sort,
        );
        let after = query.page.after.as_ref();
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .big(rows_to_read(query.page.limit))
            .uuid(query.pod_id.map_or_else(Uuid::nil, |pod_id| pod_id.0))
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .rows::<DomainRow>(&mut *self.connection().await?)
            .await?;
        let domains = rows.into_iter().map(DomainRow::entity).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::of(domains, query.page.limit, |domain| Cursor {
            time: domain.created_at,
            id: domain.domain_id.0.to_string(),
        }))
    }

    async fn domain_standing(&self, asked: &AskedDomain) -> Result<Standing, StoreError> {
        standing(&mut *self.connection().await?, asked).await
    }

    async fn on_proven_domains(&self, addresses: &[EmailAddress]) -> Result<Vec<bool>, StoreError> {
        let forms = |address: &EmailAddress| [address.normalized(), address.without_tag()];
        let pairs: Vec<(String, DomainName)> = addresses
            .iter()
            .flat_map(|address| {
                let names = DomainName::stored(address.domain()).with_parents();
                forms(address)
                    .into_iter()
                    .flat_map(move |form| names.clone().into_iter().map(move |name| (form.clone(), name)))
            })
            .collect();
        let rows = Sql::new(ON_PROVEN)
            .texts(pairs.iter().map(|(address, _)| address.as_str()))
            .texts(pairs.iter().map(|(_, name)| name.as_str()))
            .rows::<AddressRow>(&mut *self.connection().await?)
            .await?;
        let here: HashSet<String> = rows.into_iter().map(|row| row.address).collect();
        Ok(addresses.iter().map(|address| forms(address).iter().any(|form| here.contains(form))).collect())
    }
}
