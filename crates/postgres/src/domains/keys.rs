//! DKIM keys.

use diesel::QueryableByName;
use diesel::sql_types::{Binary, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{DkimKey, DomainName, KeyState, MailKey, OrganizationId};
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::sql::Sql;

/// The organization's domain that is nearest to the sender and has a valid DKIM record, with its signing key: a rotated
/// one, or the first one of the domain.
const MAIL_KEY: &str = "
    SELECT d.name, coalesce(k.selector, 'inboxd') AS selector, coalesce(k.sealed_key, d.dkim_key) AS sealed,
        CASE WHEN k.selector IS NULL THEN d.domain_id END AS born_with
    FROM domains d
    LEFT JOIN dkim_keys k ON k.organization_id = d.organization_id AND k.name = d.name AND k.state = 'active'
    WHERE d.organization_id = $1 AND d.name = ANY($2) AND d.deleted_at IS NULL AND EXISTS (
        SELECT FROM jsonb_array_elements(d.records) AS r
        WHERE r->>'purpose' = 'dkim' AND r->>'status' = 'VALID')
    ORDER BY length(d.name) DESC LIMIT 1";

/// Inserts a key unless there is another one with the same state or selector.
const INSERT: &str = "
    INSERT INTO dkim_keys (organization_id, name, selector, sealed_key, public_key, state, changed_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT DO NOTHING";

#[derive(QueryableByName)]
struct MailKeyRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    selector: String,
    #[diesel(sql_type = Binary)]
    sealed: Vec<u8>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    born_with: Option<Uuid>,
}

#[derive(QueryableByName)]
struct DkimKeyRow {
    #[diesel(sql_type = Text)]
    selector: String,
    #[diesel(sql_type = Binary)]
    sealed_key: Vec<u8>,
    #[diesel(sql_type = Text)]
    public_key: String,
    #[diesel(sql_type = Text)]
    state: String,
    #[diesel(sql_type = Timestamptz)]
    changed_at: OffsetDateTime,
}

/// Returns the organization of a key; the service's own domains have the nil id.
fn owner_id(organization_id: Option<OrganizationId>) -> Uuid {
    organization_id.map_or(Uuid::nil(), |organization_id| organization_id.0)
}

pub(super) async fn mail_key(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    names: &[DomainName],
) -> Result<Option<MailKey>, StoreError> {
    let row: Option<MailKeyRow> =
        Sql::new(MAIL_KEY).uuid(organization_id.0).texts(names.iter().map(DomainName::as_str)).row(connection).await?;
    Ok(row.map(|row| MailKey {
        name: row.name,
        selector: row.selector,
        sealed: row.sealed,
        born_with: row.born_with.map(Into::into),
    }))
}

pub(super) async fn keys(
    connection: &mut AsyncPgConnection,
    organization_id: Option<OrganizationId>,
    name: &str,
) -> Result<Vec<DkimKey>, StoreError> {
    let text = "SELECT selector, sealed_key, public_key, state, changed_at FROM dkim_keys
        WHERE organization_id = $1 AND name = $2 ORDER BY changed_at, selector";
    let rows: Vec<DkimKeyRow> = Sql::new(text).uuid(owner_id(organization_id)).text(name).rows(connection).await?;
    rows.into_iter()
        .map(|row| {
            let unknown = || StoreError::Failed(format!("unknown state of a key {:?}", row.state));
            Ok(DkimKey {
                organization_id,
                name: name.to_owned(),
                state: KeyState::named(&row.state).ok_or_else(unknown)?,
                selector: row.selector,
                sealed: row.sealed_key,
                public_key: row.public_key,
                changed_at: row.changed_at,
            })
        })
        .collect()
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, key: &DkimKey) -> Result<bool, StoreError> {
    let written = Sql::new(INSERT)
        .uuid(owner_id(key.organization_id))
        .text(&key.name)
        .text(&key.selector)
        .bytes(&key.sealed)
        .text(&key.public_key)
        .text(key.state.as_str())
        .time(key.changed_at)
        .run(connection)
        .await?;
    Ok(written == 1)
}

/// Promotes a key unless another process did so already. The previous signing key is retired first, because there is
/// only one at a time.
pub(super) async fn promote(
    connection: &mut AsyncPgConnection,
    next: &DkimKey,
    at: OffsetDateTime,
) -> Result<(), StoreError> {
    let retire = "UPDATE dkim_keys SET state = 'retired', sealed_key = '', changed_at = $4
        WHERE organization_id = $1 AND name = $2 AND state = 'active' AND EXISTS (
            SELECT FROM dkim_keys n
            WHERE n.organization_id = $1 AND n.name = $2 AND n.selector = $3 AND n.state = 'next')";
    let activate = "UPDATE dkim_keys SET state = 'active', changed_at = $4
        WHERE organization_id = $1 AND name = $2 AND selector = $3 AND state = 'next'";
    for text in [retire, activate] {
        Sql::new(text)
            .uuid(owner_id(next.organization_id))
            .text(&next.name)
            .text(&next.selector)
            .time(at)
            .run(connection)
            .await?;
    }
    Ok(())
}
