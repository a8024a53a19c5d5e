//! Audit log.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Jsonb, Nullable};
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{AuditAction, AuditEntry, AuditedResource, Page};
use inboxd_core::ports::{AuditQuery, AuditReads, AuditWrites, StoreError};
use time::{OffsetDateTime, Time};
use uuid::Uuid;

use crate::json::{StoredJson, from_json, to_json};
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::schema::audit_log;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;
use crate::usage::from_count;

const APPEND: &str = "
    INSERT INTO audit_log (organization_id, created_at, entry_id, action, resource_type, resource_id, actor_id, actor,
        client_address, before, after)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
    WHERE $12::bigint IS NULL OR $12 > (SELECT count(*) FROM (
        SELECT FROM audit_log WHERE organization_id = $1 AND actor_id = $7 AND created_at >= $13 LIMIT $12) AS today)";

const PURGE: &str = "
    WITH expired AS MATERIALIZED (
        SELECT organization_id, created_at, entry_id FROM audit_log WHERE created_at < $1 ORDER BY created_at LIMIT $2)
    DELETE FROM audit_log a USING expired e
    WHERE a.organization_id = e.organization_id AND a.created_at = e.created_at AND a.entry_id = e.entry_id";

#[async_trait]
impl AuditWrites for PgTx {
    async fn append(&mut self, entry: &AuditEntry, daily_limit: Option<u64>) -> Result<bool, StoreError> {
        let appended = Sql::new(APPEND)
            .uuid(entry.organization_id.0)
            .time(entry.created_at)
            .uuid(entry.entry_id.0)
            .text(entry.action.as_str())
            .text(entry.resource_type.as_str())
            .text(&entry.resource_id)
            .text(&entry.actor.id())
            .json(to_json(&entry.actor)?)
            .optional_text(entry.client_address.as_deref())
            .bind::<Nullable<Jsonb>, _>(entry.before.as_ref().map(to_json).transpose()?)
            .bind::<Nullable<Jsonb>, _>(entry.after.as_ref().map(to_json).transpose()?)
            .bind::<Nullable<diesel::sql_types::BigInt>, _>(daily_limit.map(from_count))
            .time(entry.created_at.replace_time(Time::MIDNIGHT))
            .run(self.connection().await?)
            .await?;
        Ok(appended > 0)
    }

    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let connection = self.connection().await?;
        Sql::new("SET LOCAL inboxd.purges_audit_log = 'on'").uncached().run(connection).await?;
        let purged = Sql::new(PURGE).time(before).big(i64::from(limit)).run(connection).await?;
        Ok(purged as u64)
    }
}

#[derive(QueryableByName)]
#[diesel(table_name = audit_log)]
struct AuditRow {
    organization_id: Uuid,
    created_at: OffsetDateTime,
    entry_id: Uuid,
    action: String,
    resource_type: String,
    resource_id: String,
    actor: StoredJson,
    client_address: Option<String>,
    before: Option<StoredJson>,
    after: Option<StoredJson>,
}

impl AuditRow {
    fn entity(self) -> Result<AuditEntry, StoreError> {
        let unknown = |word: &str| StoreError::Failed(format!("unknown word of the audit log {word:?}"));
        Ok(AuditEntry {
            organization_id: self.organization_id.into(),
            entry_id: self.entry_id.into(),
            action: AuditAction::named(&self.action).ok_or_else(|| unknown(&self.action))?,
            resource_type: AuditedResource::named(&self.resource_type).ok_or_else(|| unknown(&self.resource_type))?,
            resource_id: self.resource_id,
            actor: from_json(self.actor)?,
            client_address: self.client_address,
            before: self.before.map(from_json).transpose()?,
            after: self.after.map(from_json).transpose()?,
            created_at: self.created_at,
        })
    }
}

#[async_trait]
impl AuditReads for PgStore {
    async fn list_audit(&self, query: &AuditQuery) -> Result<Page<AuditEntry>, StoreError> {
        let after = query.page.after.as_ref();
        let rows = Sql::new(text(query))
            .uuid(query.organization_id.0)
            .big(rows_to_read(query.page.limit))
            .optional_text(query.actor_id.as_deref())
            .optional_text(query.action.map(AuditAction::as_str))
            .optional_text(query.resource_type.map(AuditedResource::as_str))
            .optional_text(query.resource_id.as_deref())
            .optional_time(query.start)
            .optional_time(query.end)
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .rows::<AuditRow>(&mut *self.connection().await?)
            .await?;
        let entries = rows.into_iter().map(AuditRow::entity).collect::<Result<Vec<_>, _>>()?;
        let place = |entry: &AuditEntry| Cursor { time: entry.created_at, id: entry.entry_id.0.to_string() };
        Ok(Page::of(entries, query.page.limit, place))
    }
}

fn text(query: &AuditQuery) -> String {
    let only = |is_asked: bool, condition: &'static str| if is_asked { condition } else { "" };
    format!(
        "SELECT * FROM audit_log WHERE organization_id = $1 {actor} {action} {kind} {resource} {start} {end} {behind}
        ORDER BY created_at {sort}, entry_id {sort} LIMIT $2",
        actor = only(query.actor_id.is_some(), "AND actor_id = $3"),
        action = only(query.action.is_some(), "AND action = $4"),
        kind = only(query.resource_type.is_some(), "AND resource_type = $5"),
        resource = only(query.resource_id.is_some(), "AND resource_id = $6"),
        start = only(query.start.is_some(), "AND created_at >= $7"),
        end = only(query.end.is_some(), "AND created_at < $8"),
        behind = behind_cursor(&query.page, "created_at, entry_id", "$9, $10"),
        sort = KeysetOrder::of(query.page.direction).sort,
    )
}
