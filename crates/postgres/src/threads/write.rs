//! Writes of threads.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Text as SqlText, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{HidingLabels, InboxId, OrganizationId, Thread, ThreadId};
use inboxd_core::ports::{StoreError, ThreadKey, ThreadWrites};
use time::OffsetDateTime;

use super::rows::{ITS_INBOX_LIVES, THREAD, ThreadRow};
use crate::array_params::Values::{
    BigInt, Bool, ComputedText, Integer, Json, OptionalComputedText, OptionalJson, OptionalText, OptionalTime, Text,
    Texts, Time, Uuid,
};
use crate::array_params::{Column, names, text_list, unnest_rows};
use crate::cte::{CteFragment, writing};
use crate::error::expect_rows;
use crate::json::to_json;
use crate::sql::Sql;
use crate::text::{folded, stored};
use crate::tx::PgTx;
use crate::usage::from_count;

/// Key of a row of `threads`.
const KEY: &[Column<Thread>] = &[
    ("organization_id", Uuid(|thread| thread.organization_id.0)),
    ("inbox_id", Text(|thread| thread.inbox_id.as_str())),
    ("thread_id", Uuid(|thread| thread.thread_id.0)),
];

/// Columns that every change of a thread writes.
const CHANGED: &[Column<Thread>] = &[
    ("labels", Texts(|thread| text_list(thread.labels.iter()))),
    ("visible", Bool(is_visible)),
    ("timestamp", Time(|thread| thread.timestamp)),
    ("received_timestamp", OptionalTime(|thread| thread.received_timestamp)),
    ("sent_timestamp", OptionalTime(|thread| thread.sent_timestamp)),
    ("senders", Texts(|thread| text_list(&thread.senders))),
    ("recipients", Texts(|thread| text_list(&thread.recipients))),
    ("subject", OptionalText(|thread| thread.subject.as_deref())),
    ("preview", OptionalText(|thread| thread.preview.as_deref())),
    ("attachments", Json(|thread| to_json(&thread.attachments))),
    ("last_message_id", Text(|thread| thread.last_message_id.as_str())),
    ("message_count", BigInt(|thread| from_count(thread.message_count))),
    ("size", BigInt(|thread| from_count(thread.size))),
    ("hidden_sets", Integer(|thread| thread.hidden_sets)),
    ("trust", OptionalJson(|thread| thread.trust.as_ref().map(to_json).transpose())),
    ("assignee_id", OptionalComputedText(|thread| thread.assignee.as_ref().map(|actor| stored(&actor.id())))),
    ("assignee", OptionalJson(|thread| thread.assignee.as_ref().map(to_json).transpose())),
    ("folded_senders", Texts(|thread| text_list(thread.senders.iter().map(|sender| folded(sender))))),
    ("folded_recipients", Texts(|thread| text_list(thread.recipients.iter().map(|recipient| folded(recipient))))),
    ("folded_subject", ComputedText(|thread| thread.subject.as_deref().map(folded).unwrap_or_default())),
    ("updated_at", Time(|thread| thread.updated_at)),
];

/// Columns that only the insertion of a thread writes.
const BEGUN: &[Column<Thread>] = &[("created_at", Time(|thread| thread.created_at))];

/// Inserts threads with their labels.
pub(crate) fn insert_threads() -> CteFragment {
    let columns = || KEY.iter().chain(CHANGED).chain(BEGUN);
    let (key, columns, given) = (names(KEY), names(columns()), unnest_rows(columns()));
    let tables = format!(
        "begun AS (
            INSERT INTO threads ({columns}) {given} RETURNING {key}, labels, visible, timestamp
        ), begun_labels AS (
            INSERT INTO thread_labels (organization_id, inbox_id, label, visible, timestamp, thread_id)
            SELECT organization_id, inbox_id, label, visible, timestamp, thread_id
            FROM begun CROSS JOIN LATERAL unnest(labels) AS l(label)
        )"
    );
    CteFragment { tables, counted: "begun" }
}

/// Updates the summaries of threads. The key of a label row includes the hidden state of its thread. Rows with an
/// unchanged key are not touched, because one statement cannot delete and insert the same key. Rows are found by their
/// whole keys and changed by position, as in `messages/delete.rs`.
pub(crate) fn update_threads() -> CteFragment {
    let (key, changed, given) = (names(KEY), names(CHANGED), unnest_rows(KEY.iter().chain(CHANGED)));
    let tables = format!(
        "given AS MATERIALIZED (
            {given}
        ), old AS MATERIALIZED (
            SELECT {key}, t.ctid AS place, t.labels, t.visible, t.timestamp
            FROM given g CROSS JOIN LATERAL (
                SELECT ctid, labels, visible, timestamp FROM threads
                WHERE organization_id = g.organization_id AND inbox_id = g.inbox_id AND thread_id = g.thread_id
                OFFSET 0) t
        ), gone AS (
            DELETE FROM thread_labels WHERE ctid = ANY(ARRAY(
                SELECT l.ctid FROM old JOIN given g USING ({key})
                CROSS JOIN LATERAL unnest(old.labels) AS was(label)
                CROSS JOIN LATERAL (
                    SELECT ctid FROM thread_labels
                    WHERE organization_id = old.organization_id AND inbox_id = old.inbox_id AND label = was.label
                        AND visible = old.visible AND timestamp = old.timestamp AND thread_id = old.thread_id
                    OFFSET 0) l
                WHERE NOT (old.visible = g.visible AND old.timestamp = g.timestamp AND was.label = ANY(g.labels))))
        ), come AS (
            INSERT INTO thread_labels (organization_id, inbox_id, label, visible, timestamp, thread_id)
            SELECT organization_id, inbox_id, becomes.label, g.visible, g.timestamp, thread_id
            FROM old JOIN given g USING ({key}) CROSS JOIN LATERAL unnest(g.labels) AS becomes(label)
            WHERE NOT (old.visible = g.visible AND old.timestamp = g.timestamp AND becomes.label = ANY(old.labels))
        ), joined AS (
            UPDATE threads t SET ({changed}) = (
                SELECT {changed} FROM given g
                WHERE g.organization_id = t.organization_id AND g.inbox_id = t.inbox_id AND g.thread_id = t.thread_id)
            WHERE ctid = ANY(ARRAY(SELECT place FROM old))
            RETURNING 1
        )"
    );
    CteFragment { tables, counted: "joined" }
}

static UPDATE: LazyLock<String> = LazyLock::new(|| writing(&[update_threads()]));

const DELETE: &str = "
    WITH doomed AS (
        SELECT labels, visible, timestamp FROM threads
        WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3
    ), gone AS (
        DELETE FROM thread_labels l
        USING doomed d CROSS JOIN LATERAL unnest(d.labels) AS was(label)
        WHERE l.organization_id = $1 AND l.inbox_id = $2 AND l.label = was.label AND l.visible = d.visible
            AND l.timestamp = d.timestamp AND l.thread_id = $3
    ), unsaid AS (
        DELETE FROM notes WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3
        RETURNING octet_length(text) AS size
    ), freed AS (
        UPDATE inbox_usage SET storage_bytes = storage_bytes - n.size
        FROM (SELECT sum(size)::bigint AS size FROM unsaid) n
        WHERE organization_id = $1 AND inbox_id = $2 AND n.size > 0
    )
    DELETE FROM threads WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3";

/// Threads in key order, each found by its whole key and locked before the next.
const LOCKED: &str = "unnest($1::uuid[], $2::text[], $3::uuid[]) AS wanted(organization_id, inbox_id, thread_id)
    CROSS JOIN LATERAL (
        SELECT * FROM threads
        WHERE organization_id = wanted.organization_id AND inbox_id = wanted.inbox_id AND thread_id = wanted.thread_id
        FOR NO KEY UPDATE)";

/// Threads per statement that lose their assignee.
const BATCH: i64 = 500;

/// Locks rows in the order of all threads and waits for concurrent writers. Such a row has moved afterwards, so a
/// second statement, which sees its new position, changes it.
const LOCK_ASSIGNED: &str = "
    SELECT inbox_id, thread_id FROM threads
    WHERE organization_id = $1 AND assignee_id = $2 AND NOT (inbox_id = ANY($3))
    ORDER BY inbox_id, thread_id LIMIT $4 FOR NO KEY UPDATE";

/// The rows are locked; they are found by key and changed by position, as in `messages/delete.rs`.
const UNASSIGN: &str = "
    UPDATE threads SET assignee_id = NULL, assignee = NULL, updated_at = $4
    WHERE ctid = ANY(ARRAY(
        SELECT t.ctid FROM unnest($2::text[], $3::uuid[]) AS w(inbox_id, thread_id) CROSS JOIN LATERAL (
            SELECT ctid FROM threads
            WHERE organization_id = $1 AND inbox_id = w.inbox_id AND thread_id = w.thread_id OFFSET 0) t))";

/// Key of a thread within its organization.
#[derive(QueryableByName)]
struct ThreadKeyRow {
    #[diesel(sql_type = SqlText)]
    inbox_id: String,
    #[diesel(sql_type = SqlUuid)]
    thread_id: uuid::Uuid,
}

#[async_trait]
impl ThreadWrites for PgTx {
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_ids: &[ThreadId],
    ) -> Result<Vec<Thread>, StoreError> {
        let key =
            |thread_id: &ThreadId| ThreadKey { organization_id, inbox_id: inbox_id.clone(), thread_id: *thread_id };
        self.lock_across(&thread_ids.iter().map(key).collect::<Vec<_>>()).await
    }

    async fn lock_across(&mut self, threads: &[ThreadKey]) -> Result<Vec<Thread>, StoreError> {
        let text = format!("SELECT {THREAD} FROM {LOCKED} t WHERE {ITS_INBOX_LIVES} ORDER BY t.inbox_id, t.thread_id");
        let mut threads: Vec<_> =
            threads.iter().map(|key| (key.organization_id.0, key.inbox_id.as_str(), key.thread_id.0)).collect();
        threads.sort_unstable_by_key(|(_, inbox_id, thread_id)| (*inbox_id, *thread_id));
        threads.dedup();
        let locking = Sql::new(text)
            .uuids(threads.iter().map(|(organization_id, ..)| *organization_id))
            .texts(threads.iter().map(|(_, inbox_id, _)| *inbox_id))
            .uuids(threads.iter().map(|(.., thread_id)| *thread_id));
        let rows: Vec<ThreadRow> = self.beginning(async |connection| locking.rows_among(connection).await).await?;
        rows.into_iter().map(ThreadRow::entity).collect()
    }

    async fn update(&mut self, threads: &[Thread]) -> Result<(), StoreError> {
        if !self.kept().threads.is_empty() {
            return update(self.connection().await?, threads).await;
        }
        self.kept().threads.extend_from_slice(threads);
        Ok(())
    }

    async fn unassign(
        &mut self,
        organization_id: OrganizationId,
        assignee_id: &str,
        keep: &BTreeSet<InboxId>,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        loop {
            let locked = Sql::new(LOCK_ASSIGNED)
                .uuid(organization_id.0)
                .text(assignee_id)
                .texts(keep.iter().map(InboxId::as_str))
                .big(BATCH)
                .rows::<ThreadKeyRow>(self.connection().await?)
                .await?;
            if locked.is_empty() {
                return Ok(());
            }
            let taken = Sql::new(UNASSIGN)
                .uuid(organization_id.0)
                .texts(locked.iter().map(|row| row.inbox_id.as_str()))
                .uuids(locked.iter().map(|row| row.thread_id))
                .time(at)
                .run(self.connection().await?)
                .await?;
            expect_rows(taken, locked.len())?;
        }
    }

    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<(), StoreError> {
        let deleted = Sql::new(DELETE)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .uuid(thread_id.0)
            .run(self.connection().await?)
            .await?;
        expect_rows(deleted, 1)
    }
}

/// Stores the summaries of threads.
pub(crate) async fn update(connection: &AsyncPgConnection, threads: &[Thread]) -> Result<(), StoreError> {
    bind(Sql::new(UPDATE.as_str()), threads)?.write(connection, &[threads.len()]).await
}

/// Binds the rows of [`insert_threads`].
pub(crate) fn bind_inserted<'a>(statement: Sql<'a>, threads: &'a [Thread]) -> Result<Sql<'a>, StoreError> {
    bind(statement, threads)?.bind_rows(BEGUN, threads)
}

/// Binds the rows of [`update_threads`].
pub(crate) fn bind<'a>(statement: Sql<'a>, threads: &'a [Thread]) -> Result<Sql<'a>, StoreError> {
    statement.bind_rows(KEY, threads)?.bind_rows(CHANGED, threads)
}

/// Returns whether one of its messages is visible in all lists.
fn is_visible(thread: &Thread) -> bool {
    thread.hidden_sets & HidingLabels::NONE.as_set() != 0
}
