//! Reads of domains, without deleted ones.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Bool, Text};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{DkimKey, Domain, DomainId, DomainName, InboxId, Locality, MailKey, OrganizationId, Page};
use inboxd_core::ports::{AskedDomain, DomainQuery, DomainReads, Standing, StoreError};
use inboxd_mail::EmailAddress;
use uuid::Uuid;

use super::conflicts::conflicts;
use super::keys;
use super::rows::{DOMAIN, DomainRow, SERVES_NAME};
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::pods::of_inboxes;
use crate::scalar_rows::FlagRow;
use crate::sql::Sql;
use crate::store::PgStore;

/// Addresses of proven domains: those of live inboxes of their organizations, those with a catch-all, and those that
/// may become inboxes by the domain's records.
///
/// $1 and $2 pair each address with its domain and all parents. If the nearest domain does not receive mail, its
/// addresses are remote.
fn custom_homes_statement() -> String {
    format!(
        "SELECT wanted.address, bool_or(a.address IS NOT NULL
            OR (c.address IS NOT NULL AND right(wanted.address, length(p.name) + 1) = '@' || p.name AND {SERVES_NAME}))
            AS has_inbox
        FROM unnest($1::text[], $2::text[]) AS wanted(address, name)
        JOIN proven_domains p ON p.name = wanted.name
        JOIN domains d ON d.organization_id = p.organization_id AND d.domain_id = p.domain_id
        LEFT JOIN addresses a
            ON a.address = wanted.address AND a.deleted_at IS NULL AND a.organization_id = p.organization_id
        LEFT JOIN addresses c
            ON c.address = d.catch_all_inbox_id AND c.deleted_at IS NULL AND c.organization_id = p.organization_id
        WHERE d.inbound_enabled
            AND NOT EXISTS (
                SELECT FROM unnest($1::text[], $2::text[]) AS closer(address, name)
                JOIN proven_domains q ON q.name = closer.name
                JOIN domains e ON e.organization_id = q.organization_id AND e.domain_id = q.domain_id
                WHERE closer.address = wanted.address AND length(q.name) > length(p.name) AND NOT e.inbound_enabled)
            AND (a.address IS NOT NULL
            OR (right(wanted.address, length(p.name) + 1) = '@' || p.name AND {SERVES_NAME})
            OR (d.subdomains_enabled AND d.status = 'VERIFIED'))
        GROUP BY wanted.address"
    )
}

#[derive(QueryableByName)]
struct HomeRow {
    #[diesel(sql_type = Text)]
    address: String,
    #[diesel(sql_type = Bool)]
    has_inbox: bool,
}

/// Returns one locality for each address, in the same order.
pub(crate) async fn custom_homes(
    connection: &AsyncPgConnection,
    addresses: &[EmailAddress],
) -> Result<Vec<Locality>, StoreError> {
    if addresses.is_empty() {
        return Ok(Vec::new());
    }
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
    let rows = Sql::new(custom_homes_statement())
        .texts(pairs.iter().map(|(address, _)| address.as_str()))
        .texts(pairs.iter().map(|(_, name)| name.as_str()))
        .rows_among::<HomeRow>(connection)
        .await?;
    let found: HashMap<String, bool> = rows.into_iter().map(|row| (row.address, row.has_inbox)).collect();
    let home = |address: &EmailAddress| match forms(address).iter().filter_map(|form| found.get(form)).max() {
        Some(true) => Locality::Local,
        Some(false) => Locality::Claimed,
        None => Locality::Remote,
    };
    Ok(addresses.iter().map(home).collect())
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
            WHERE organization_id = $1 AND deleted_at IS NULL {of_pod} {of_inboxes} {behind}
            ORDER BY created_at {sort}, domain_id {sort} LIMIT $2",
            of_pod = if query.pod_id.is_some() { "AND pod_id = $3" } else { "" },
            of_inboxes = match query.of_inboxes {
                Some(_) => format!("AND (pod_id IS NULL OR {})", of_inboxes("$6")),
                None => String::new(),
            },
            behind = behind_cursor(&query.page, "created_at, domain_id", "$4, $5"),
            sort = KeysetOrder::of(query.page.direction).sort,
        );
        let after = query.page.after.as_ref();
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .big(rows_to_read(query.page.limit))
            .uuid(query.pod_id.map_or_else(Uuid::nil, |pod_id| pod_id.0))
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .texts(query.of_inboxes.iter().flatten().map(InboxId::as_str))
            .rows::<DomainRow>(&mut *self.connection().await?)
            .await?;
        let domains = rows.into_iter().map(DomainRow::entity).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::of(domains, query.page.limit, |domain| Cursor {
            time: domain.created_at,
            id: domain.domain_id.0.to_string(),
        }))
    }

    async fn domain_standing(&self, asked: &AskedDomain) -> Result<Standing, StoreError> {
        conflicts(&mut *self.connection().await?, asked).await
    }

    async fn proven_domain(&self, name: &str) -> Result<Option<Domain>, StoreError> {
        let text = format!(
            "SELECT {DOMAIN} FROM domains WHERE deleted_at IS NULL AND (organization_id, domain_id) IN (
                SELECT organization_id, domain_id FROM proven_domains WHERE name = $1)"
        );
        let row: Option<DomainRow> = Sql::new(text).text(name).row(&mut *self.connection().await?).await?;
        row.map(DomainRow::entity).transpose()
    }

    async fn mail_key(
        &self,
        organization_id: OrganizationId,
        names: &[DomainName],
    ) -> Result<Option<MailKey>, StoreError> {
        keys::mail_key(&mut *self.connection().await?, organization_id, names).await
    }

    async fn dkim_keys(&self, organization_id: Option<OrganizationId>, name: &str) -> Result<Vec<DkimKey>, StoreError> {
        keys::keys(&mut *self.connection().await?, organization_id, name).await
    }

    async fn is_name_lost(&self, organization_id: OrganizationId, names: &[DomainName]) -> Result<bool, StoreError> {
        let text = "SELECT p.organization_id <> $1 AS flag FROM proven_domains p WHERE p.name = ANY($2)
            ORDER BY length(p.name) DESC LIMIT 1";
        let row: Option<FlagRow> = Sql::new(text)
            .uuid(organization_id.0)
            .texts(names.iter().map(DomainName::as_str))
            .row(&mut *self.connection().await?)
            .await?;
        Ok(row.is_some_and(|row| row.flag))
    }

    async fn custom_homes(&self, addresses: &[EmailAddress]) -> Result<Vec<Locality>, StoreError> {
        custom_homes(&*self.connection().await?, addresses).await
    }
}
