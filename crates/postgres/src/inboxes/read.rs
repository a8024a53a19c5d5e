//! Reads of inboxes, without deleted ones.

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;
use diesel::sql_types::{Bool, Nullable, Text};
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName, SelectableHelper};
use diesel_async::RunQueryDsl;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{DomainName, Inbox, InboxId, OrganizationId, Page};
use inboxd_core::ports::{Destination, InboxQuery, InboxReads, InboxSearch, IntakeHold, RecipientRoute, StoreError};
use inboxd_core::rules::inbox_search::{InboxTerms, SEPARATORS};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use super::rows::InboxRow;
use crate::error::failure;
use crate::keyset::{KeysetOrder, behind_cursor, rows_to_read};
use crate::schema::{addresses, inboxes};
use crate::sql::Sql;
use crate::store::PgStore;

/// Inboxes of the addresses $1 that receive mail: not deleted ones, and none on a domain that does not receive or
/// belongs to another organization. The nearest proven domain of the names $2 (domains and all parents) decides. Then
/// the catch-alls of the domains $3, each as `@` and the name.
const DESTINATIONS: &str = "
    SELECT r.*,
        (SELECT i.paused_at IS NOT NULL FROM inboxes i
            WHERE i.organization_id = r.organization_id AND i.inbox_id = r.inbox_id) IS TRUE AS is_paused,
        (SELECT o.suspended_reason FROM organizations o WHERE o.organization_id = r.organization_id) AS suspended_reason
    FROM (
    SELECT a.address, a.organization_id, a.pod_id, a.inbox_id,
        a.deleted_at IS NULL AND COALESCE((
            SELECT p.organization_id = a.organization_id AND d.inbound_enabled
            FROM proven_domains p
            JOIN domains d ON d.organization_id = p.organization_id AND d.domain_id = p.domain_id
            WHERE p.name = ANY($2) AND right(a.address, length(p.name) + 1) IN ('@' || p.name, '.' || p.name)
            ORDER BY length(p.name) DESC LIMIT 1), true) AS is_open
    FROM addresses a
    WHERE a.address = ANY($1)
    UNION ALL
    SELECT '@' || p.name, c.organization_id, c.pod_id, c.inbox_id, true
    FROM proven_domains p
    JOIN domains d ON d.organization_id = p.organization_id AND d.domain_id = p.domain_id AND d.inbound_enabled
    JOIN addresses c
        ON c.address = d.catch_all_inbox_id AND c.deleted_at IS NULL AND c.organization_id = p.organization_id
    WHERE p.name = ANY($3)) r";

/// Columns of an [`InboxRow`].
const COLUMNS: &str = "organization_id, inbox_id, pod_id, display_name, client_id, metadata, created_at, updated_at,
    paused_at, retention_days, quarantine";

/// Returns the conditions of a list with the organization $1, the pod $3, the inbox $4 and the inboxes $7.
fn conditions(query: &InboxQuery) -> String {
    format!(
        "organization_id = $1 AND deleted_at IS NULL {of_pod} {this} {among}",
        of_pod = if query.pod_id.is_some() { "AND pod_id = $3" } else { "" },
        this = if query.inbox_id.is_some() { "AND inbox_id = $4" } else { "" },
        among = if query.among.is_some() { "AND inbox_id = ANY($7)" } else { "" },
    )
}

/// Returns a pattern of each search word, which begins a word. A search word contains no wildcard.
fn patterns(terms: &InboxTerms) -> Vec<String> {
    terms.words.iter().map(|word| format!("% {word}%")).collect()
}

/// Returns the letters beyond ASCII of the search words as capitals, and in lower case. The database folds only ASCII in
/// collation C.
fn capitals(terms: &InboxTerms) -> (String, String) {
    let letters: BTreeSet<char> = terms.words.iter().flat_map(|word| word.chars()).filter(|c| !c.is_ascii()).collect();
    let folding = |small: char| {
        let mut upper = small.to_uppercase();
        let capital = upper.next().filter(|capital| *capital != small && upper.next().is_none())?;
        Some((capital, small))
    };
    letters.into_iter().filter_map(folding).unzip()
}

/// Returns the position of an inbox in a search: its rank as a digit, and its address.
fn place_of(address: &str, inbox: &Inbox) -> Cursor {
    let inbox_id = inbox.inbox_id.as_str();
    let rank = if inbox_id == address {
        '0'
    } else if inbox_id.starts_with(address) {
        '1'
    } else {
        '2'
    };
    Cursor { time: OffsetDateTime::UNIX_EPOCH, id: format!("{rank}{inbox_id}") }
}

#[derive(QueryableByName)]
#[diesel(table_name = addresses)]
struct RouteRow {
    address: String,
    organization_id: Uuid,
    pod_id: Uuid,
    inbox_id: String,
    #[diesel(sql_type = Bool)]
    is_open: bool,
    #[diesel(sql_type = Bool)]
    is_paused: bool,
    #[diesel(sql_type = Nullable<Text>)]
    suspended_reason: Option<String>,
}

/// Returns the reason for which mail is deferred.
pub(crate) fn intake_hold(is_paused: bool, suspended_reason: Option<String>) -> Option<IntakeHold> {
    suspended_reason.map(IntakeHold::Suspended).or(is_paused.then_some(IntakeHold::Paused))
}

#[async_trait]
impl InboxReads for PgStore {
    async fn inbox(&self, organization_id: OrganizationId, inbox_id: &InboxId) -> Result<Option<Inbox>, StoreError> {
        let row: Option<InboxRow> = inboxes::table
            .filter(inboxes::organization_id.eq(organization_id.0))
            .filter(inboxes::inbox_id.eq(inbox_id.as_str()))
            .filter(inboxes::deleted_at.is_null())
            .select(InboxRow::as_select())
            .first(&mut *self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(InboxRow::entity).transpose()
    }

    async fn list_inboxes(&self, query: &InboxQuery) -> Result<Page<Inbox>, StoreError> {
        let text = format!(
            "SELECT {COLUMNS} FROM inboxes WHERE {within} {behind}
            ORDER BY created_at {sort}, inbox_id {sort} LIMIT $2",
            within = conditions(query),
            behind = behind_cursor(&query.page, "created_at, inbox_id", "$5, $6"),
            sort = KeysetOrder::of(query.page.direction).sort,
        );
        let after = query.page.after.as_ref();
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .big(rows_to_read(query.page.limit))
            .uuid(query.pod_id.map_or_else(Uuid::nil, |pod_id| pod_id.0))
            .optional_text(query.inbox_id.as_ref().map(InboxId::as_str))
            .optional_time(after.map(|cursor| cursor.time))
            .optional_text(after.map(|cursor| cursor.id.as_str()))
            .texts(query.among.iter().flatten().map(InboxId::as_str))
            .rows::<InboxRow>(&mut *self.connection().await?)
            .await?;
        let found = rows.into_iter().map(InboxRow::entity).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::of(found, query.page.limit, |inbox| Cursor {
            time: inbox.created_at,
            id: inbox.inbox_id.as_str().to_owned(),
        }))
    }

    async fn search_inboxes(&self, search: &InboxSearch) -> Result<Page<Inbox>, StoreError> {
        let InboxSearch { within: query, terms } = search;
        let (capitals, folded) = capitals(terms);
        let text = format!(
            "SELECT {COLUMNS} FROM (
                SELECT {COLUMNS}, CASE WHEN inbox_id = $6 THEN '0' WHEN starts_with(inbox_id, $6) THEN '1' ELSE '2' END
                    || inbox_id AS place
                FROM inboxes
                WHERE {within} AND ' ' || translate(lower(inbox_id || ' ' || coalesce(display_name, '')),
                    $8 || $10, repeat(' ', length($8)) || $11) LIKE ALL($9)
            ) found
            WHERE place > $5 ORDER BY place LIMIT $2",
            within = conditions(query),
        );
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .big(rows_to_read(query.page.limit))
            .uuid(query.pod_id.map_or_else(Uuid::nil, |pod_id| pod_id.0))
            .optional_text(query.inbox_id.as_ref().map(InboxId::as_str))
            .text(query.page.after.as_ref().map_or("", |cursor| cursor.id.as_str()))
            .text(&terms.address)
            .texts(query.among.iter().flatten().map(InboxId::as_str))
            .text(SEPARATORS)
            .texts(patterns(terms).iter().map(String::as_str))
            .text(&capitals)
            .text(&folded)
            .rows::<InboxRow>(&mut *self.connection().await?)
            .await?;
        let found = rows.into_iter().map(InboxRow::entity).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::of(found, query.page.limit, |inbox| place_of(&terms.address, inbox)))
    }

    async fn destinations(&self, wanted: &[EmailAddress]) -> Result<Vec<Option<RecipientRoute>>, StoreError> {
        let candidates: Vec<String> =
            wanted.iter().flat_map(|address| [address.normalized(), address.without_tag()]).collect();
        let names: BTreeSet<DomainName> =
            wanted.iter().flat_map(|address| DomainName::stored(address.domain()).with_parents()).collect();
        let domains: BTreeSet<String> = wanted.iter().map(EmailAddress::domain).collect();
        let rows = Sql::new(DESTINATIONS)
            .texts(candidates.iter().map(String::as_str))
            .texts(names.iter().map(DomainName::as_str))
            .texts(domains.iter().map(String::as_str))
            .rows::<RouteRow>(&mut *self.connection().await?)
            .await?;
        let known: HashMap<String, Option<RecipientRoute>> = rows
            .into_iter()
            .map(|row| {
                let destination = Destination {
                    organization_id: row.organization_id.into(),
                    pod_id: row.pod_id.into(),
                    inbox_id: InboxId::stored(row.inbox_id),
                };
                let hold = intake_hold(row.is_paused, row.suspended_reason);
                (row.address, row.is_open.then_some(RecipientRoute { destination, hold }))
            })
            .collect();
        // The address of a former inbox has no other target.
        let destination = |address: &EmailAddress| {
            let own = known.get(&address.normalized()).or_else(|| known.get(&address.without_tag()));
            own.or_else(|| known.get(&format!("@{}", address.domain()))).cloned().flatten()
        };
        Ok(wanted.iter().map(destination).collect())
    }
}
