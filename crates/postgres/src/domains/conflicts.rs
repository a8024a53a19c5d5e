//! Conflicts of a new domain, inside and outside a unit of work.

use diesel::sql_types::{BigInt, Bool, Nullable, Uuid as SqlUuid};
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName, SelectableHelper};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use inboxd_core::model::Domain;
use inboxd_core::ports::{AskedDomain, Standing, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::rows::DomainRow;
use crate::error::failure;
use crate::schema::domains;
use crate::sql::Sql;
use crate::text::stored;
use crate::usage::to_count;

const STANDING: &str = "
    SELECT
        (SELECT count(*) FROM domains WHERE organization_id = $1 AND deleted_at IS NULL) AS live,
        (SELECT domain_id FROM domains WHERE organization_id = $1 AND name = $2 AND deleted_at IS NULL) AS same_name,
        ($3::uuid IS NULL OR EXISTS (SELECT FROM pods WHERE organization_id = $1 AND pod_id = $3 AND deleted_at IS NULL))
            AS has_pod";

#[derive(QueryableByName)]
struct StandingRow {
    #[diesel(sql_type = BigInt)]
    live: i64,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    same_name: Option<Uuid>,
    #[diesel(sql_type = Bool)]
    has_pod: bool,
}

/// Returns the facts that decide whether an organization can add a domain.
pub(super) async fn conflicts(connection: &mut AsyncPgConnection, asked: &AskedDomain) -> Result<Standing, StoreError> {
    let row: StandingRow = Sql::new(STANDING)
        .uuid(asked.organization_id.0)
        .text(asked.name.as_str())
        .bind::<Nullable<SqlUuid>, _>(asked.pod_id.map(|pod_id| pod_id.0))
        .row(connection)
        .await?
        .ok_or_else(|| StoreError::Failed("a query returned no row".to_owned()))?;
    let of_client_id = match &asked.client_id {
        Some(client_id) => of_client_id(connection, asked.organization_id.0, client_id).await?,
        None => None,
    };
    Ok(Standing {
        live: to_count(row.live),
        same_name: row.same_name.map(Into::into),
        of_client_id,
        has_pod: row.has_pod,
    })
}

async fn of_client_id(
    connection: &mut AsyncPgConnection,
    organization_id: Uuid,
    client_id: &str,
) -> Result<Option<(Domain, bool)>, StoreError> {
    let row: Option<(DomainRow, Option<OffsetDateTime>)> = domains::table
        .filter(domains::organization_id.eq(organization_id))
        .filter(domains::client_id.eq(stored(client_id)))
        .select((DomainRow::as_select(), domains::deleted_at))
        .first(connection)
        .await
        .optional()
        .map_err(failure)?;
    row.map(|(domain, deleted_at)| Ok((domain.entity()?, deleted_at.is_none()))).transpose()
}
