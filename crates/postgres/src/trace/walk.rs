//! Walk along the index of a source: a bounded number of its rows with their messages.

use diesel::pg::Pg;
use diesel::row::NamedRow;
use diesel::sql_types::{Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel::{QueryableByName, deserialize};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{HidingLabels, MessageId, TraceEntry, TracePlace, TraceSegment, TraceSource, TracedMessage};
use inboxd_core::ports::{StoreError, TraceQuery};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::json::{StoredJson, from_json};
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::messages::rows::unseen;
use crate::sql::Sql;

/// Maximum rows of a source that a page reads to find the wanted ones.
const MAX_SCANNED: i64 = 2_000;

/// Columns of [`TracedRow`], of a message named `m`.
const TRACED: &str = "m.thread_id AS m_thread_id, m.from_ AS m_from, m.subject AS m_subject, m.trust AS m_trust,
    m.sent_by AS m_sent_by, m.in_reply_to AS m_in_reply_to";

/// Condition that a message `m` has the address `$12` among its own, which may have names beside them.
const CORRESPONDS: &str =
    "EXISTS (SELECT FROM unnest(array_append(m.to_ || m.cc || m.bcc, m.from_)) AS written(address)
    WHERE lower(address) = $12 OR right(lower(address), length($12) + 2) = '<' || $12 || '>')";

/// Table of a source.
pub(super) struct SourceTable {
    /// Source of the entries.
    pub(super) source: TraceSource,
    /// Name of the table.
    pub(super) name: &'static str,
    /// Column of the time.
    pub(super) at: &'static str,
    /// Column of the id.
    pub(super) id: &'static str,
    /// Whether its rows are about messages. Those of others have an envelope sender.
    pub(super) has_messages: bool,
    /// Whether an index finds the rows of a message.
    pub(super) is_indexed_by_message: bool,
    /// Whether its rows have the thread of their message, which they keep after its deletion.
    pub(super) has_threads: bool,
    /// Condition of the rows `e` whose message never had labels, because it was not stored; empty without such rows.
    pub(super) of_unstored_mail: &'static str,
}

/// Message of a row; all columns are null while it is not stored.
#[derive(QueryableByName)]
#[expect(clippy::struct_field_names, reason = "columns of a joined message, named apart from those of the event")]
pub(super) struct TracedRow {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub(super) m_thread_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    m_from: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    m_subject: Option<String>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    m_trust: Option<StoredJson>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    m_sent_by: Option<StoredJson>,
    #[diesel(sql_type = Nullable<Text>)]
    m_in_reply_to: Option<String>,
}

impl TracedRow {
    /// Returns the message, if it still exists.
    pub(super) fn entity(self) -> Result<Option<TracedMessage>, StoreError> {
        let Some(from) = self.m_from else { return Ok(None) };
        Ok(Some(TracedMessage {
            from,
            subject: self.m_subject,
            trust: self.m_trust.map(from_json).transpose()?,
            sent_by: self.m_sent_by.map(from_json).transpose()?,
            in_reply_to: self.m_in_reply_to.map(MessageId::stored),
        }))
    }
}

/// Place of a row.
#[derive(Clone, Copy, QueryableByName)]
struct PlaceRow {
    #[diesel(sql_type = Timestamptz)]
    place_at: OffsetDateTime,
    #[diesel(sql_type = SqlUuid)]
    place_id: Uuid,
}

/// A row with its place, which is known even if the row is unreadable.
struct PlacedRow<R> {
    place: PlaceRow,
    row: R,
}

impl<R: QueryableByName<Pg>> QueryableByName<Pg> for PlacedRow<R> {
    fn build<'a>(row: &impl NamedRow<'a, Pg>) -> deserialize::Result<Self> {
        Ok(Self { place: PlaceRow::build(row)?, row: R::build(row)? })
    }
}

impl SourceTable {
    /// Reads a segment. Rows of which `entry` fails are logged and left out: a later version may have written them, and
    /// they must not hide all others.
    pub(super) async fn read<R>(
        &self,
        connection: &mut AsyncPgConnection,
        query: &TraceQuery,
        entry: impl Fn(R) -> Result<TraceEntry, StoreError>,
    ) -> Result<TraceSegment, StoreError>
    where
        R: QueryableByName<Pg> + Send + 'static,
    {
        let rows = bind(Sql::new(self.page(query)), query).rows::<PlacedRow<R>>(connection).await?;
        let is_full = rows.len() > query.page.limit as usize;
        // Unreadable rows count as well: a page of nothing else is no end of the source.
        let last = rows.last().filter(|_| is_full).map(|row| row.place);
        let readable = |PlacedRow { place, row }| {
            let log = |error: &StoreError| {
                let (organization_id, id) = (query.organization_id.0, place.place_id);
                tracing::error!(%organization_id, table = self.name, %id, %error, "trace entry unreadable");
            };
            entry(row).inspect_err(log).ok()
        };
        let entries: Vec<_> = rows.into_iter().filter_map(readable).collect();
        let end = match last {
            Some(last) => Some(last),
            None => self.walk_end(connection, query).await?,
        };
        let read_to = end.map(|end| TracePlace { at: end.place_at, source: self.source, id: end.place_id });
        Ok(TraceSegment { entries, read_to })
    }

    /// Returns the place of the last row of a walk that reached its limit.
    async fn walk_end(
        &self,
        connection: &mut AsyncPgConnection,
        query: &TraceQuery,
    ) -> Result<Option<PlaceRow>, StoreError> {
        let text = format!(
            "SELECT {at} AS place_at, {id} AS place_id FROM ({walk} OFFSET $5 - 1 LIMIT 1) e",
            at = self.at,
            id = self.id,
            walk = self.walk(query),
        );
        bind(Sql::new(text), query).row::<PlaceRow>(connection).await
    }

    /// Returns the rows behind the cursor, in order.
    fn walk(&self, query: &TraceQuery) -> String {
        let Self { name, at, id, is_indexed_by_message, .. } = self;
        format!(
            "SELECT * FROM {name} WHERE organization_id = $1 AND inbox_id = $2 {of_message} {start} {end} {behind}
            ORDER BY {at} {sort}, {id} {sort}",
            of_message = only(*is_indexed_by_message && query.message_id.is_some(), "AND message_id = $8"),
            start = only(query.start.is_some(), &format!("AND {at} >= $10")),
            end = only(query.end.is_some(), &format!("AND {at} < $11")),
            behind = behind_cursor(&query.page, &format!("{at}, {id}"), "$6, $7"),
            sort = KeysetOrder::of(query.page.direction).sort,
        )
    }

    /// Returns the wanted rows of a walk. Each message is read by its whole key, which is that of the entry. As in the
    /// label history, a reader of all labels but perhaps `held` also sees entries of deleted messages.
    fn page(&self, query: &TraceQuery) -> String {
        let Self { at, id, of_unstored_mail, .. } = self;
        if !self.has_messages {
            return format!(
                "SELECT e.*, e.{at} AS place_at, e.{id} AS place_id FROM ({walk} LIMIT $5) e WHERE true {corresponds}
                ORDER BY e.{at} {sort}, e.{id} {sort} LIMIT $4",
                walk = self.walk(query),
                corresponds = only(query.correspondent.is_some(), "AND e.envelope_from = $12"),
                sort = KeysetOrder::of(query.page.direction).sort,
            );
        }
        let thread = if self.has_threads { "coalesce(m.thread_id, e.thread_id)" } else { "m.thread_id" };
        format!(
            "SELECT e.*, e.{at} AS place_at, e.{id} AS place_id, {TRACED} FROM ({walk} LIMIT $5) e
            LEFT JOIN messages m ON m.organization_id = e.organization_id AND m.inbox_id = e.inbox_id
                AND m.message_id = e.message_id
            WHERE coalesce(m.hidden & $3 = 0, $3 & {unheld} = 0 {unstored}) {of_message} {of_thread} {corresponds}
            ORDER BY e.{at} {sort}, e.{id} {sort} LIMIT $4",
            walk = self.walk(query),
            unheld = unseen(HidingLabels::HELD),
            unstored = only(!of_unstored_mail.is_empty(), &format!("OR {of_unstored_mail}")),
            of_message = only(query.message_id.is_some(), "AND e.message_id = $8"),
            of_thread = only(query.thread_id.is_some(), &format!("AND {thread} = $9")),
            corresponds = only(query.correspondent.is_some(), &format!("AND {CORRESPONDS}")),
            sort = KeysetOrder::of(query.page.direction).sort,
        )
    }
}

fn only(is_asked: bool, condition: &str) -> &str {
    if is_asked { condition } else { "" }
}

/// Binds the values of both statements.
fn bind<'a>(statement: Sql<'a>, query: &'a TraceQuery) -> Sql<'a> {
    let after = query.page.after.as_ref();
    statement
        .uuid(query.organization_id.0)
        .text(query.inbox_id.as_str())
        .small(unseen(query.readable))
        .big(rows_to_read(query.page.limit))
        .big(MAX_SCANNED)
        .optional_time(after.map(|cursor| cursor.time))
        .uuid(after.map(cursor_uuid).unwrap_or_default())
        .optional_text(query.message_id.as_ref().map(MessageId::as_str))
        .uuid(query.thread_id.map_or_else(Uuid::nil, |thread_id| thread_id.0))
        .optional_time(query.start)
        .optional_time(query.end)
        .optional_text(query.correspondent.as_deref())
}
