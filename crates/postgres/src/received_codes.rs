//! Codes of received messages, sealed. They have an upper bound per inbox, and outlive their messages.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use diesel::QueryableByName;
use diesel::sql_types::{Binary, Text, Timestamptz};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{HidingLabels, InboxId, MessageId, OrganizationId, SealedCodes};
use inboxd_core::ports::{MAX_CODE_MAILS, StoreError};
use time::OffsetDateTime;

use crate::array_params::{Column, MAX_ROWS, Values, names, unnest_rows};
use crate::error::expect_rows;
use crate::sql::Sql;

/// Columns of a new row of `received_codes`.
const CODES: &[Column<SealedCodes>] = &[
    ("organization_id", Values::Uuid(|codes| codes.organization_id.0)),
    ("inbox_id", Values::Text(|codes| codes.inbox_id.as_str())),
    ("received_at", Values::Time(|codes| codes.received_at)),
    ("message_id", Values::Text(|codes| codes.message_id.as_str())),
    ("sealed", Values::Bytes(|codes| &codes.sealed)),
];

static KEEP: LazyLock<String> =
    LazyLock::new(|| format!("INSERT INTO received_codes ({}) {}", names(CODES), unnest_rows(CODES)));

/// Deletes the oldest rows of an inbox beyond the newest $3.
const TRIM: &str = "
    DELETE FROM received_codes WHERE organization_id = $1 AND inbox_id = $2 AND (received_at, message_id) <= (
        SELECT received_at, message_id FROM received_codes WHERE organization_id = $1 AND inbox_id = $2
        ORDER BY received_at DESC, message_id DESC OFFSET $3 LIMIT 1)";

/// The message of a row may be gone; no label hides its codes then.
const READ: &str = "
    SELECT c.message_id, c.received_at, c.sealed
    FROM received_codes c
    WHERE c.organization_id = $1 AND c.inbox_id = $2 AND c.received_at > $3
        AND coalesce((
            SELECT m.hidden FROM messages m
            WHERE m.organization_id = c.organization_id AND m.inbox_id = c.inbox_id AND m.message_id = c.message_id
        ), 0)::integer & ~$4::integer = 0
    ORDER BY c.received_at DESC, c.message_id DESC LIMIT $5";

const PURGE: &str = "
    WITH expired AS MATERIALIZED (
        SELECT organization_id, inbox_id, received_at, message_id FROM received_codes
        WHERE received_at < $1 ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM received_codes c USING expired e
    WHERE c.organization_id = e.organization_id AND c.inbox_id = e.inbox_id AND c.received_at = e.received_at
        AND c.message_id = e.message_id";

#[derive(QueryableByName)]
struct CodesRow {
    #[diesel(sql_type = Text)]
    message_id: String,
    #[diesel(sql_type = Timestamptz)]
    received_at: OffsetDateTime,
    #[diesel(sql_type = Binary)]
    sealed: Vec<u8>,
}

/// Stores codes, and deletes the oldest beyond the bound of their inboxes.
pub(crate) async fn keep(connection: &mut AsyncPgConnection, codes: &[SealedCodes]) -> Result<(), StoreError> {
    for batch in codes.chunks(MAX_ROWS) {
        let written = Sql::new(KEEP.as_str()).bind_rows(CODES, batch)?.run(connection).await?;
        expect_rows(written, batch.len())?;
    }
    let inboxes: BTreeSet<_> = codes.iter().map(|codes| (codes.organization_id, &codes.inbox_id)).collect();
    for (organization_id, inbox_id) in inboxes {
        let trim = Sql::new(TRIM).uuid(organization_id.0).text(inbox_id.as_str()).big(MAX_CODE_MAILS);
        trim.run(connection).await?;
    }
    Ok(())
}

/// Reads the codes that an inbox received after a time.
pub(crate) async fn read(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    readable: HidingLabels,
    after: OffsetDateTime,
) -> Result<Vec<SealedCodes>, StoreError> {
    let statement = Sql::new(READ).uuid(organization_id.0).text(inbox_id.as_str()).time(after);
    let statement = statement.integer(i32::from(readable.bits())).big(MAX_CODE_MAILS);
    let rows = statement.rows::<CodesRow>(connection).await?;
    let codes = |row: CodesRow| SealedCodes {
        organization_id,
        inbox_id: inbox_id.clone(),
        message_id: MessageId::stored(row.message_id),
        received_at: row.received_at,
        sealed: row.sealed,
    };
    Ok(rows.into_iter().map(codes).collect())
}

/// Deletes up to `limit` rows from before a time and returns their number.
pub(crate) async fn purge(
    connection: &mut AsyncPgConnection,
    before: OffsetDateTime,
    limit: u32,
) -> Result<u64, StoreError> {
    let purged = Sql::new(PURGE).time(before).big(i64::from(limit)).run(connection).await?;
    Ok(u64::try_from(purged).unwrap_or(u64::MAX))
}
