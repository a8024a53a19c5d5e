//! Allow and block lists.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Bool, Text};
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, Queryable, QueryableByName, Selectable, SelectableHelper,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{
    EntryName, ListDirection, ListEntry, ListExcerpt, ListKey, ListLevel, ListType, OrganizationId, Page, PageRequest,
};
use inboxd_core::ports::{ExcerptQuery, ListReads, ListWrites, RecipientPolicy, RecipientPolicyQuery, StoreError};
use time::OffsetDateTime;
use tokio::try_join;
use uuid::Uuid;

use crate::domains::custom_homes;
use crate::error::failure;
use crate::keyset::{KeysetOrder, behind_key, rows_to_read};
use crate::schema::list_entries;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::suppressions::suppressed;
use crate::text::stored;
use crate::tx::PgTx;

/// Checks whether any of these levels has lists. Nearly none has, so this cheap query comes first. Its order makes it
/// one primary key lookup under any estimate of the planner.
const ANY_LISTS: &str = "
    SELECT w.organization_id
    FROM unnest($1::uuid[], $2::text[]) AS w(organization_id, scope)
    CROSS JOIN LATERAL (
        SELECT FROM list_entries e WHERE e.organization_id = w.organization_id AND e.scope = w.scope
        ORDER BY e.direction, e.list_type, e.entry LIMIT 1
    ) AS found
    LIMIT 1";

/// Walks along the primary key: for each list the requested entries, and whether it has any entry at all.
const EXCERPTS: &str = "
    SELECT w.place, d.direction, t.list_type, found.entry, found.require_authentication, found.is_asked
    FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS w(organization_id, scope, place)
    CROSS JOIN unnest($3::text[]) AS d(direction)
    CROSS JOIN (VALUES ('allow'), ('block')) AS t(list_type)
    CROSS JOIN LATERAL (
        SELECT e.entry, e.require_authentication, true AS is_asked FROM unnest($4::text[]) AS asked(entry)
        JOIN list_entries e ON e.organization_id = w.organization_id AND e.scope = w.scope
            AND e.direction = d.direction AND e.list_type = t.list_type AND e.entry = asked.entry
        UNION ALL
        (SELECT e.entry, false, false FROM list_entries e
        WHERE e.organization_id = w.organization_id AND e.scope = w.scope AND e.direction = d.direction
            AND e.list_type = t.list_type
        ORDER BY e.entry LIMIT 1)
    ) AS found";

/// Columns of an entry beyond the key of its list.
#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = list_entries, check_for_backend(diesel::pg::Pg))]
struct EntryRow {
    entry: String,
    reason: Option<String>,
    require_authentication: bool,
    created_at: OffsetDateTime,
}

impl EntryRow {
    fn entity(self, list: &ListKey) -> ListEntry {
        let entry = EntryName::stored(self.entry);
        ListEntry {
            list: list.clone(),
            entry,
            reason: self.reason,
            require_authentication: self.require_authentication,
            read_only: false,
            created_at: self.created_at,
        }
    }
}

#[derive(QueryableByName)]
#[diesel(table_name = list_entries)]
struct AnyRow {
    #[expect(dead_code, reason = "that there is a row says all")]
    organization_id: Uuid,
}

#[derive(QueryableByName)]
struct ExcerptRow {
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Text)]
    direction: String,
    #[diesel(sql_type = Text)]
    list_type: String,
    #[diesel(sql_type = Text)]
    entry: String,
    #[diesel(sql_type = Bool)]
    require_authentication: bool,
    #[diesel(sql_type = Bool)]
    is_asked: bool,
}

/// Returns the level of a list as in the key of a row.
fn scope(level: &ListLevel) -> String {
    match level {
        ListLevel::Organization => String::new(),
        ListLevel::Pod(pod_id) => pod_id.to_string(),
        ListLevel::Inbox { inbox_id, .. } => inbox_id.as_str().to_owned(),
    }
}

#[async_trait]
impl ListReads for PgStore {
    async fn list_entries(&self, list: &ListKey, page: &PageRequest) -> Result<Page<ListEntry>, StoreError> {
        let text = format!(
            "SELECT entry, reason, require_authentication, created_at FROM list_entries
            WHERE organization_id = $1 AND scope = $2 AND direction = $3 AND list_type = $4 {behind}
            ORDER BY entry {sort} LIMIT $5",
            behind = behind_key(page, "entry", "$6"),
            sort = KeysetOrder::of(page.direction).sort,
        );
        let scope = scope(&list.level);
        let rows = Sql::new(text)
            .uuid(list.organization_id.0)
            .text(&scope)
            .text(list.direction.as_str())
            .text(list.list_type.as_str())
            .big(rows_to_read(page.limit))
            .optional_text(page.after.as_ref().map(|cursor| cursor.id.as_str()))
            .rows::<EntryRow>(&mut *self.connection().await?)
            .await?;
        let found = rows.into_iter().map(|row| row.entity(list)).collect();
        Ok(Page::of(found, page.limit, |entry| Cursor { time: entry.created_at, id: entry.entry.as_str().to_owned() }))
    }

    async fn list_entry(&self, list: &ListKey, entry: &EntryName) -> Result<Option<ListEntry>, StoreError> {
        let row: Option<EntryRow> = list_entries::table
            .filter(list_entries::organization_id.eq(list.organization_id.0))
            .filter(list_entries::scope.eq(scope(&list.level)))
            .filter(list_entries::direction.eq(list.direction.as_str()))
            .filter(list_entries::list_type.eq(list.list_type.as_str()))
            .filter(list_entries::entry.eq(stored(entry.as_str())))
            .select(EntryRow::as_select())
            .first(&mut *self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        Ok(row.map(|row| row.entity(list)))
    }

    async fn recipient_policy(&self, query: &RecipientPolicyQuery) -> Result<RecipientPolicy, StoreError> {
        let connection = &*self.connection().await?;
        let (suppressed, excerpts, homes) = try_join!(
            suppressed(connection, query.organization_id, &query.recipients),
            excerpts_of_lists(connection, &query.lists),
            custom_homes(connection, &query.outside),
        )?;
        Ok(RecipientPolicy { suppressed, excerpts, homes })
    }
}

/// Returns the matches of names in the lists.
pub(crate) async fn excerpts_of_lists(
    connection: &AsyncPgConnection,
    query: &ExcerptQuery,
) -> Result<Vec<ListExcerpt>, StoreError> {
    let scopes: Vec<String> = query.levels.iter().map(|(_, level)| scope(level)).collect();
    let any = Sql::new(ANY_LISTS)
        .uuids(query.levels.iter().map(|(organization_id, _)| organization_id.0))
        .texts(scopes.iter().map(String::as_str))
        .rows_among::<AnyRow>(connection)
        .await?;
    if any.is_empty() {
        return Ok(Vec::new());
    }
    let rows = Sql::new(EXCERPTS)
        .uuids(query.levels.iter().map(|(organization_id, _)| organization_id.0))
        .texts(scopes.iter().map(String::as_str))
        .texts(query.directions.iter().map(|direction| direction.as_str()))
        .texts(query.names.iter().map(String::as_str))
        .rows_among::<ExcerptRow>(connection)
        .await?;
    excerpts(query, rows)
}

fn excerpts(query: &ExcerptQuery, rows: Vec<ExcerptRow>) -> Result<Vec<ListExcerpt>, StoreError> {
    let mut found: BTreeMap<(i64, ListDirection, ListType), ListExcerpt> = BTreeMap::new();
    for row in rows {
        let unknown = || StoreError::Failed(format!("unknown list {} {}", row.direction, row.list_type));
        let direction = ListDirection::named(&row.direction).ok_or_else(unknown)?;
        let list_type = ListType::named(&row.list_type).ok_or_else(unknown)?;
        let place = usize::try_from(row.place - 1).ok().and_then(|place| query.levels.get(place));
        let (organization_id, level) = place.cloned().ok_or_else(unknown)?;
        let excerpt = found.entry((row.place, direction, list_type)).or_insert_with(|| ListExcerpt {
            list: ListKey { organization_id, level, direction, list_type },
            entries: BTreeSet::new(),
            authenticated: BTreeSet::new(),
        });
        if row.is_asked {
            excerpt.authenticated.extend(row.require_authentication.then(|| row.entry.clone()));
            excerpt.entries.insert(row.entry);
        }
    }
    Ok(found.into_values().collect())
}

#[async_trait]
impl ListWrites for PgTx {
    async fn insert(&mut self, entry: &ListEntry) -> Result<(), StoreError> {
        diesel::insert_into(list_entries::table)
            .values((
                list_entries::organization_id.eq(entry.list.organization_id.0),
                list_entries::scope.eq(scope(&entry.list.level)),
                list_entries::direction.eq(entry.list.direction.as_str()),
                list_entries::list_type.eq(entry.list.list_type.as_str()),
                list_entries::entry.eq(stored(entry.entry.as_str())),
                list_entries::reason.eq(entry.reason.as_deref().map(stored)),
                list_entries::require_authentication.eq(entry.require_authentication),
                list_entries::created_at.eq(entry.created_at),
            ))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(())
    }

    async fn delete(&mut self, list: &ListKey, entry: &EntryName) -> Result<bool, StoreError> {
        let deleted = diesel::delete(list_entries::table)
            .filter(list_entries::organization_id.eq(list.organization_id.0))
            .filter(list_entries::scope.eq(scope(&list.level)))
            .filter(list_entries::direction.eq(list.direction.as_str()))
            .filter(list_entries::list_type.eq(list.list_type.as_str()))
            .filter(list_entries::entry.eq(stored(entry.as_str())))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(deleted > 0)
    }

    async fn delete_all(&mut self, organization_id: OrganizationId, level: &ListLevel) -> Result<u64, StoreError> {
        let deleted = diesel::delete(list_entries::table)
            .filter(list_entries::organization_id.eq(organization_id.0))
            .filter(list_entries::scope.eq(scope(level)))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
    }
}
