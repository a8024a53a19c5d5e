//! Contacts of inboxes, counted with the mail that they exchange.

pub(crate) mod count;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel::{Queryable, QueryableByName, Selectable};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{Contact, ContactDecision, ContactKey, InboxId, OrganizationId, Page};
use inboxd_core::ports::{Acquaintances, ContactQuery, ContactReads, ContactWrites, SenderHistory, StoreError};
use inboxd_core::rules::trust::{History, KnownPerson, Relation};
use inboxd_mail::normalized_address;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::keyset::{KeysetOrder, behind_cursor, rows_to_read};
use crate::schema::contacts;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::stored_row::stored_row;
use crate::tx::PgTx;
use crate::usage::{from_count, to_count};

/// Factor of the bound for contacts that an inbox wrote to.
const CORRESPONDENT_FACTOR: i64 = 10;

/// Contacts of the same address in other inboxes that count for a sender.
const MAX_ELSEWHERE: i64 = 20;
/// Acquaintances of an organization of each kind.
const MAX_ACQUAINTANCES: i64 = 100;

static SENDERS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {CONTACT}, w.number, e.* FROM unnest($1::uuid[], $2::text[], $3::text[])
            WITH ORDINALITY AS w(organization_id, inbox_id, address, number)
        LEFT JOIN contacts c
            ON c.organization_id = w.organization_id AND c.inbox_id = w.inbox_id AND c.address = w.address
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(received_count), 0)::bigint AS received, coalesce(sum(sent_count), 0)::bigint AS sent,
                min(created_at) AS since, coalesce(bool_or(authenticated_count > 0), false) AS was_authenticated
            FROM (SELECT * FROM contacts
                WHERE organization_id = w.organization_id AND address = w.address AND inbox_id <> w.inbox_id LIMIT $4) o
        ) e"
    )
});

/// The oldest members, the newest correspondents and trusted contacts, and the verified domains of organizations.
const ACQUAINTANCES: &str = "
    SELECT w.organization_id, a.kind, a.name, a.address, coalesce(a.pod_id,
        (SELECT pod_id FROM inboxes WHERE organization_id = w.organization_id AND inbox_id = a.inbox_id)) AS pod_id
    FROM unnest($1::uuid[]) AS w(organization_id) CROSS JOIN LATERAL (
        (SELECT 'member' AS kind, name, email AS address, NULL::text AS inbox_id, NULL::uuid AS pod_id FROM members
        WHERE organization_id = w.organization_id AND removed_at IS NULL AND joined_at IS NOT NULL
        ORDER BY created_at, member_id LIMIT $2)
        UNION ALL
        (SELECT 'correspondent', name, address, inbox_id, NULL FROM contacts
        WHERE organization_id = w.organization_id AND first_sent_at IS NOT NULL
        ORDER BY first_sent_at DESC LIMIT $2)
        UNION ALL
        (SELECT 'correspondent', name, address, inbox_id, NULL FROM contacts
        WHERE organization_id = w.organization_id AND decision = 'trusted' LIMIT $2)
        UNION ALL
        (SELECT 'domain', NULL, name, NULL, pod_id FROM domains
        WHERE organization_id = w.organization_id AND deleted_at IS NULL AND verified_at IS NOT NULL
        ORDER BY created_at, domain_id LIMIT $2)
    ) a";

#[derive(QueryableByName)]
struct AcquaintanceRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Text)]
    address: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pod_id: Option<Uuid>,
}

stored_row! {
    /// A contact.
    #[derive(Queryable, QueryableByName, Selectable)]
    #[diesel(table_name = contacts, check_for_backend(diesel::pg::Pg))]
    struct ContactRow => Contact;

    /// Columns of [`ContactRow`], of a table named `c`.
    const CONTACT = "c";

    organization_id: Uuid => organization_id = organization_id.into(),
    inbox_id: String => inbox_id = InboxId::stored(inbox_id),
    address: String => address = address,
    name: Option<String> => name = name,
    decision: Option<String> => decision = decision.as_deref().map(stored_decision).transpose()?,
    received_count: i64 => received_count = to_count(received_count),
    authenticated_count: i64 => authenticated_count = to_count(authenticated_count),
    sent_count: i64 => sent_count = to_count(sent_count),
    received_at: Option<OffsetDateTime> => received_at = received_at,
    sent_at: Option<OffsetDateTime> => sent_at = sent_at,
    created_at: OffsetDateTime => created_at = created_at,
    updated_at: OffsetDateTime => updated_at = updated_at,
}

fn stored_decision(text: &str) -> Result<ContactDecision, StoreError> {
    ContactDecision::named(text).ok_or_else(|| StoreError::Failed(format!("unknown decision {text:?}")))
}

fn entities(rows: Vec<ContactRow>) -> Result<Vec<Contact>, StoreError> {
    rows.into_iter().map(ContactRow::entity).collect()
}

/// A requested sender: its contact, and the sum of its contacts in other inboxes.
#[derive(QueryableByName)]
struct SenderRow {
    #[diesel(embed)]
    contact: Option<ContactRow>,
    /// Number of the request, from 1.
    #[diesel(sql_type = BigInt)]
    number: i64,
    #[diesel(sql_type = BigInt)]
    received: i64,
    #[diesel(sql_type = BigInt)]
    sent: i64,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    since: Option<OffsetDateTime>,
    #[diesel(sql_type = Bool)]
    was_authenticated: bool,
}

impl SenderRow {
    fn history(self, keys: &[ContactKey]) -> Result<SenderHistory, StoreError> {
        let place = usize::try_from(self.number - 1).ok().and_then(|place| keys.get(place));
        let key = place.ok_or_else(|| StoreError::Failed(format!("no sender {} was requested", self.number)))?;
        Ok(SenderHistory {
            key: key.clone(),
            contact: self.contact.map(ContactRow::entity).transpose()?,
            elsewhere: History {
                received: to_count(self.received),
                sent: to_count(self.sent),
                since: self.since,
                was_authenticated: self.was_authenticated,
            },
        })
    }
}

/// Returns the contacts of these keys with the sum of the same addresses in other inboxes. Each costs a lookup of two
/// indexes.
pub(crate) async fn histories_of_senders(
    connection: &AsyncPgConnection,
    keys: &[ContactKey],
) -> Result<Vec<SenderHistory>, StoreError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let rows = Sql::new(SENDERS.as_str())
        .uuids(keys.iter().map(|key| key.organization_id.0))
        .texts(keys.iter().map(|key| key.inbox_id.as_str()))
        .texts(keys.iter().map(|key| key.address.as_str()))
        .big(MAX_ELSEWHERE)
        .rows_among::<SenderRow>(connection)
        .await?;
    rows.into_iter().map(|row| row.history(keys)).collect()
}

/// Returns the acquaintances of organizations.
pub(crate) async fn acquaintances(
    connection: &AsyncPgConnection,
    organizations: &[OrganizationId],
) -> Result<Vec<(OrganizationId, Acquaintances)>, StoreError> {
    if organizations.is_empty() {
        return Ok(Vec::new());
    }
    let rows = Sql::new(ACQUAINTANCES)
        .uuids(organizations.iter().map(|organization_id| organization_id.0))
        .big(MAX_ACQUAINTANCES)
        .rows_among::<AcquaintanceRow>(connection)
        .await?;
    let mut found: BTreeMap<OrganizationId, Acquaintances> =
        organizations.iter().map(|organization_id| (*organization_id, Acquaintances::default())).collect();
    for row in rows {
        let Some(acquaintances) = found.get_mut(&row.organization_id.into()) else { continue };
        let relation = match row.kind.as_str() {
            "member" => Relation::Member,
            "correspondent" => Relation::Correspondent,
            _ => {
                acquaintances.domains.push((row.address, row.pod_id.map(Into::into)));
                continue;
            }
        };
        acquaintances.people.push(KnownPerson {
            name: row.name,
            // Members have their addresses as written.
            address: normalized_address(&row.address),
            relation,
            pod_id: row.pod_id.map(Into::into),
        });
    }
    Ok(found.into_iter().collect())
}

/// Returns the existing contacts of these keys, one lookup of the primary key each.
pub(crate) async fn contacts_of(
    connection: &AsyncPgConnection,
    keys: &[ContactKey],
) -> Result<Vec<Contact>, StoreError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let text = format!(
        "SELECT {CONTACT} FROM unnest($1::uuid[], $2::text[], $3::text[]) AS w(organization_id, inbox_id, address)
        JOIN contacts c USING (organization_id, inbox_id, address)"
    );
    let rows = Sql::new(text)
        .uuids(keys.iter().map(|key| key.organization_id.0))
        .texts(keys.iter().map(|key| key.inbox_id.as_str()))
        .texts(keys.iter().map(|key| key.address.as_str()))
        .rows_among::<ContactRow>(connection)
        .await?;
    entities(rows)
}

/// Returns the position of a contact in its list.
fn place(contact: &Contact) -> Cursor {
    Cursor { time: contact.created_at, id: contact.address.clone() }
}

#[async_trait]
impl ContactReads for PgStore {
    async fn list_contacts(&self, query: &ContactQuery) -> Result<Page<Contact>, StoreError> {
        let text = format!(
            "SELECT {CONTACT} FROM contacts c
            WHERE organization_id = $1 AND inbox_id = $2 {behind}
            ORDER BY created_at {sort}, address {sort} LIMIT $3",
            behind = behind_cursor(&query.page, "created_at, address", "$4, $5"),
            sort = KeysetOrder::of(query.page.direction).sort,
        );
        let after = query.page.after.as_ref();
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .text(query.inbox_id.as_str())
            .big(rows_to_read(query.page.limit))
            .optional_time(after.map(|cursor| cursor.time))
            .optional_text(after.map(|cursor| cursor.id.as_str()))
            .rows::<ContactRow>(&mut *self.connection().await?)
            .await?;
        Ok(Page::of(entities(rows)?, query.page.limit, place))
    }

    async fn contact(&self, key: &ContactKey) -> Result<Option<Contact>, StoreError> {
        Ok(contacts_of(&*self.connection().await?, std::slice::from_ref(key)).await?.pop())
    }
}

/// Deletes the oldest contacts of an inbox beyond the newest $3, looking at $4 of them. Rows that a unit of work counts
/// stay, so that no two wait for each other.
fn trim(which: &str) -> String {
    format!(
        "WITH oldest AS MATERIALIZED (
            SELECT address FROM contacts WHERE organization_id = $1 AND inbox_id = $2
            ORDER BY created_at DESC, address DESC OFFSET $3 LIMIT $4
        ), free AS MATERIALIZED (
            SELECT c.address FROM oldest o JOIN contacts c USING (address)
            WHERE c.organization_id = $1 AND c.inbox_id = $2 AND c.decision IS NULL {which}
            FOR UPDATE OF c SKIP LOCKED
        )
        DELETE FROM contacts c USING free f
        WHERE c.organization_id = $1 AND c.inbox_id = $2 AND c.address = f.address"
    )
}

#[async_trait]
impl ContactWrites for PgTx {
    async fn lock(&mut self, key: &ContactKey) -> Result<Option<Contact>, StoreError> {
        let text = format!(
            "SELECT {CONTACT} FROM contacts c
            WHERE organization_id = $1 AND inbox_id = $2 AND address = $3 FOR NO KEY UPDATE"
        );
        let statement = Sql::new(text).uuid(key.organization_id.0).text(key.inbox_id.as_str()).text(&key.address);
        let row = statement.row::<ContactRow>(self.connection().await?).await?;
        row.map(ContactRow::entity).transpose()
    }

    async fn decide(
        &mut self,
        key: &ContactKey,
        decision: Option<ContactDecision>,
        at: OffsetDateTime,
    ) -> Result<Option<Contact>, StoreError> {
        let text = format!(
            "UPDATE contacts c SET decision = $4, updated_at = $5
            WHERE organization_id = $1 AND inbox_id = $2 AND address = $3 RETURNING {CONTACT}"
        );
        let row = Sql::new(text)
            .uuid(key.organization_id.0)
            .text(key.inbox_id.as_str())
            .text(&key.address)
            .optional_text(decision.map(ContactDecision::as_str))
            .time(at)
            .row::<ContactRow>(self.connection().await?)
            .await?;
        row.map(ContactRow::entity).transpose()
    }

    async fn delete(&mut self, key: &ContactKey) -> Result<bool, StoreError> {
        let text = "DELETE FROM contacts WHERE organization_id = $1 AND inbox_id = $2 AND address = $3";
        let statement = Sql::new(text).uuid(key.organization_id.0).text(key.inbox_id.as_str()).text(&key.address);
        Ok(statement.run(self.connection().await?).await? > 0)
    }

    async fn trim(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        limit: u64,
    ) -> Result<(), StoreError> {
        let limit = from_count(limit);
        // Four times as many as a tenth of the limit, after which it is called.
        let seen = (limit * 2 / 5).max(4);
        for (text, limit) in
            [(trim("AND c.first_sent_at IS NULL"), limit), (trim(""), limit.saturating_mul(CORRESPONDENT_FACTOR))]
        {
            let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).big(limit).big(seen);
            statement.run(self.connection().await?).await?;
        }
        Ok(())
    }
}
