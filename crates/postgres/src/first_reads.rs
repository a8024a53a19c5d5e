//! First reads: when each person, key or connection read a message for the first time.
//!
//! They are shown in the trace of an inbox. Their number is bounded for each message and for each inbox.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::QueryableByName;
use inboxd_core::model::{FirstRead, InboxId, MessageId, ReadPart, ReaderId};
use inboxd_core::ports::{FirstReadWrites, ReadBounds, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::array_params::{Column, MAX_ROWS, Values, names, unnest_rows};
use crate::json::{StoredJson, from_json, to_json};
use crate::schema::first_reads;
use crate::sql::Sql;
use crate::tx::PgTx;
use crate::usage::from_count;

/// Average number of reads between two trims of an inbox to its bound. A trim scans all rows that stay, so it must not
/// follow every read.
const TRIM_INTERVAL: u64 = 500;

/// Columns of a new row of `first_reads`.
const READ: &[Column<FirstRead>] = &[
    ("organization_id", Values::Uuid(|read| read.organization_id.0)),
    ("inbox_id", Values::Text(|read| read.inbox_id.as_str())),
    ("message_id", Values::Text(|read| read.message_id.as_str())),
    ("reader_id", Values::ComputedText(|read| ReaderId::of(&read.reader).to_string())),
    ("read_at", Values::Time(|read| read.read_at)),
    ("read_id", Values::Uuid(|read| read.read_id.0)),
    ("reader", Values::Json(|read| to_json(&read.reader))),
    ("part", Values::Text(|read| read.part.as_str())),
];

/// Inserts reads by new readers of a message while it has fewer than the maximum, which is the parameter after those
/// of the columns.
static ADD: LazyLock<String> = LazyLock::new(|| {
    let columns = names(READ);
    let of_message =
        "r.organization_id = g.organization_id AND r.inbox_id = g.inbox_id AND r.message_id = g.message_id";
    format!(
        "INSERT INTO first_reads ({columns})
        SELECT {columns} FROM (
            SELECT g.*, row_number() OVER (
                    PARTITION BY organization_id, inbox_id, message_id ORDER BY read_at, read_id) AS nth
            FROM ({rows}) g
            WHERE NOT EXISTS (SELECT FROM first_reads r WHERE {of_message} AND r.reader_id = g.reader_id)) g
        WHERE nth + (SELECT count(*) FROM first_reads r WHERE {of_message}) <= ${most}
        ON CONFLICT DO NOTHING",
        rows = unnest_rows(READ),
        most = READ.len() + 1,
    )
});

/// Deletes the oldest reads of an inbox beyond the newest $3, at most $4.
const TRIM: &str = "
    WITH oldest AS MATERIALIZED (
        SELECT message_id, reader_id FROM first_reads WHERE organization_id = $1 AND inbox_id = $2
        ORDER BY read_at DESC, read_id DESC OFFSET $3 LIMIT $4)
    DELETE FROM first_reads r USING oldest o
    WHERE r.organization_id = $1 AND r.inbox_id = $2 AND r.message_id = o.message_id AND r.reader_id = o.reader_id";

const PURGE: &str = "
    WITH expired AS MATERIALIZED (
        SELECT organization_id, inbox_id, message_id, reader_id FROM first_reads
        WHERE read_at < $1 ORDER BY read_at LIMIT $2)
    DELETE FROM first_reads r USING expired e
    WHERE r.organization_id = e.organization_id AND r.inbox_id = e.inbox_id AND r.message_id = e.message_id
        AND r.reader_id = e.reader_id";

#[async_trait]
impl FirstReadWrites for PgTx {
    async fn add(&mut self, reads: &[FirstRead], bounds: ReadBounds) -> Result<(), StoreError> {
        for batch in reads.chunks(MAX_ROWS) {
            let add = Sql::new(ADD.as_str()).bind_rows(READ, batch)?.big(bounds.of_message.into());
            add.run(self.connection().await?).await?;
        }
        // Ids select the reads that cause a trim: they end in random bits, which no client chooses.
        let interval = TRIM_INTERVAL.min(bounds.of_inbox.max(1));
        let due = reads.iter().filter(|read| read.read_id.0.as_u128().is_multiple_of(u128::from(interval)));
        let inboxes: BTreeSet<_> = due.map(|read| (read.organization_id, &read.inbox_id)).collect();
        // More than were added since the last trim, so that an inbox far beyond the bound returns to it.
        let max_deleted = from_count(interval.saturating_mul(4).saturating_add(reads.len() as u64 * 2));
        for (organization_id, inbox_id) in inboxes {
            let trim = Sql::new(TRIM).uuid(organization_id.0).text(inbox_id.as_str());
            trim.big(from_count(bounds.of_inbox)).big(max_deleted).run(self.connection().await?).await?;
        }
        Ok(())
    }

    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let purged = Sql::new(PURGE).time(before).big(i64::from(limit)).run(self.connection().await?).await?;
        Ok(purged as u64)
    }
}

/// A first read.
#[derive(QueryableByName)]
#[diesel(table_name = first_reads)]
pub(crate) struct FirstReadRow {
    organization_id: Uuid,
    inbox_id: String,
    message_id: String,
    read_at: OffsetDateTime,
    read_id: Uuid,
    reader: StoredJson,
    part: String,
}

impl FirstReadRow {
    /// Returns the read of the row.
    pub(crate) fn entity(self) -> Result<FirstRead, StoreError> {
        let unknown = || StoreError::Failed(format!("unknown part of a read {:?}", self.part));
        Ok(FirstRead {
            part: ReadPart::named(&self.part).ok_or_else(unknown)?,
            read_id: self.read_id.into(),
            organization_id: self.organization_id.into(),
            inbox_id: InboxId::stored(self.inbox_id),
            message_id: MessageId::stored(self.message_id),
            reader: from_json(self.reader)?,
            read_at: self.read_at,
        })
    }
}
