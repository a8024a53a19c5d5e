//! Label history. It has an upper bound per inbox and is purged with it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::QueryableByName;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{HidingLabels, InboxId, LabelEvent, LabelEventType, MessageId, Page};
use inboxd_core::ports::{LabelEventQuery, LabelHistoryReads, LabelHistoryWrites, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::array_params::{self, Column, Values, names, unnest_rows};
use crate::error::expect_rows;
use crate::json::{StoredJson, from_json, to_json};
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::messages::rows::unseen;
use crate::schema::label_history;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;
use crate::usage::from_count;

/// Maximum rows that a page reads to find visible ones.
const MAX_SCANNED: i64 = 5_000;

/// Columns of a new row of `label_history`.
const EVENT: &[Column<LabelEvent>] = &[
    ("organization_id", Values::Uuid(|event| event.organization_id.0)),
    ("inbox_id", Values::Text(|event| event.inbox_id.as_str())),
    ("event_at", Values::Time(|event| event.event_at)),
    ("event_id", Values::Uuid(|event| event.event_id.0)),
    ("pod_id", Values::Uuid(|event| event.pod_id.0)),
    ("message_id", Values::Text(|event| event.message_id.as_str())),
    ("label", Values::Text(|event| event.label.as_str())),
    ("added", Values::Bool(|event| event.event_type == LabelEventType::Added)),
    ("actor", Values::Json(|event| to_json(&event.actor))),
];

static APPEND: LazyLock<String> =
    LazyLock::new(|| format!("INSERT INTO label_history ({}) {}", names(EVENT), unnest_rows(EVENT)));

/// Deletes the oldest events of an inbox beyond the newest $3, at most $4.
const TRIM: &str = "
    WITH oldest AS MATERIALIZED (
        SELECT event_at, event_id FROM label_history WHERE organization_id = $1 AND inbox_id = $2
        ORDER BY event_at DESC, event_id DESC OFFSET $3 LIMIT $4)
    DELETE FROM label_history h USING oldest o
    WHERE h.organization_id = $1 AND h.inbox_id = $2 AND h.event_at = o.event_at AND h.event_id = o.event_id";

/// Returns the interval, in events, between two trims of an inbox for its bound. The trims share the cost of reading
/// past the events that stay.
fn trim_interval(limit: u64) -> u64 {
    (limit / 100).max(1)
}

#[async_trait]
impl LabelHistoryWrites for PgTx {
    async fn append(&mut self, events: &[LabelEvent], limit: u64) -> Result<(), StoreError> {
        for batch in events.chunks(array_params::MAX_ROWS) {
            let append = Sql::new(APPEND.as_str()).bind_rows(EVENT, batch)?;
            let written = append.run(self.connection().await?).await?;
            expect_rows(written, batch.len())?;
        }
        // The ids end in random bits, which no client chooses.
        let interval = trim_interval(limit);
        let due = events.iter().filter(|event| event.event_id.0.as_u128().is_multiple_of(u128::from(interval)));
        let inboxes: BTreeSet<_> = due.map(|event| (event.organization_id, &event.inbox_id)).collect();
        // More than the appended events, so that an inbox far beyond the bound returns to it.
        let most =
            from_count(interval.saturating_mul(4)).saturating_add(from_count(events.len() as u64).saturating_mul(2));
        for (organization_id, inbox_id) in inboxes {
            let trim = Sql::new(TRIM).uuid(organization_id.0).text(inbox_id.as_str()).big(from_count(limit)).big(most);
            trim.run(self.connection().await?).await?;
        }
        Ok(())
    }
}

/// A label change.
#[derive(QueryableByName)]
#[diesel(table_name = label_history)]
pub(crate) struct LabelEventRow {
    organization_id: Uuid,
    inbox_id: String,
    event_at: OffsetDateTime,
    event_id: Uuid,
    pod_id: Uuid,
    message_id: String,
    label: String,
    added: bool,
    actor: StoredJson,
}

#[derive(QueryableByName)]
#[diesel(table_name = label_history)]
struct CursorRow {
    event_at: OffsetDateTime,
    event_id: Uuid,
}

impl LabelEventRow {
    /// Returns the change of the row.
    pub(crate) fn entity(self) -> Result<LabelEvent, StoreError> {
        Ok(LabelEvent {
            event_id: self.event_id.into(),
            event_type: if self.added { LabelEventType::Added } else { LabelEventType::Removed },
            organization_id: self.organization_id.into(),
            pod_id: self.pod_id.into(),
            inbox_id: InboxId::stored(self.inbox_id),
            message_id: MessageId::stored(self.message_id),
            label: self.label,
            actor: from_json(self.actor)?,
            event_at: self.event_at,
        })
    }
}

impl CursorRow {
    fn cursor(&self) -> Cursor {
        Cursor { time: self.event_at, id: self.event_id.to_string() }
    }
}

#[async_trait]
impl LabelHistoryReads for PgStore {
    async fn list_label_events(&self, query: &LabelEventQuery) -> Result<Page<LabelEvent>, StoreError> {
        let mut connection = self.connection().await?;
        let rows = Sql::new(page_of(query)).bound(query).rows::<LabelEventRow>(&mut connection).await?;
        let found = rows.into_iter().map(LabelEventRow::entity).collect::<Result<Vec<_>, _>>()?;
        let mut page = Page::of(found, query.page.limit, |event| Cursor {
            time: event.event_at,
            id: event.event_id.0.to_string(),
        });
        if page.next.is_none() && query.readable != HidingLabels::ALL {
            // The page may have ended at the read limit: the next one then continues there.
            let text = format!("{} OFFSET $7 - 1 LIMIT 2", walk(query));
            let places = Sql::new(text).bound(query).rows::<CursorRow>(&mut connection).await?;
            page.next = places.first().filter(|_| places.len() == 2).map(CursorRow::cursor);
        }
        Ok(page)
    }
}

impl<'a> Sql<'a> {
    /// Binds the values of both statements.
    fn bound(self, query: &'a LabelEventQuery) -> Self {
        let after = query.page.after.as_ref();
        self.uuid(query.organization_id.0)
            .text(query.inbox_id.as_str())
            .big(rows_to_read(query.page.limit))
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .small(unseen(query.readable))
            .big(MAX_SCANNED)
    }
}

/// Returns the rows behind the cursor, in order.
fn walk(query: &LabelEventQuery) -> String {
    format!(
        "SELECT * FROM label_history WHERE organization_id = $1 AND inbox_id = $2 {behind}
        ORDER BY event_at {sort}, event_id {sort}",
        behind = behind_cursor(&query.page, "event_at, event_id", "$4, $5"),
        sort = KeysetOrder::of(query.page.direction).sort,
    )
}

/// Builds a page. A reader of all labels but perhaps `held` also sees the history of deleted messages.
fn page_of(query: &LabelEventQuery) -> String {
    let walk = walk(query);
    if query.readable == HidingLabels::ALL {
        return format!("{walk} LIMIT $3");
    }
    let seen = if query.readable.or(HidingLabels::HELD) == HidingLabels::ALL {
        "LEFT JOIN messages m USING (organization_id, inbox_id, message_id) WHERE coalesce(m.hidden & $6, 0) = 0"
    } else {
        "JOIN messages m USING (organization_id, inbox_id, message_id) WHERE m.hidden & $6 = 0"
    };
    format!(
        "SELECT h.* FROM ({walk} LIMIT $7) h {seen}
        ORDER BY h.event_at {sort}, h.event_id {sort} LIMIT $3",
        sort = KeysetOrder::of(query.page.direction).sort,
    )
}
