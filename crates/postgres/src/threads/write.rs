//! Changes of threads.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Text, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use futures_util::future::join_all;
use inboxd_core::model::{Actor, Hidden, InboxId, OrganizationId, Thread, ThreadId};
use inboxd_core::ports::{StoreError, ThreadKey, Threads};
use time::OffsetDateTime;
use tokio::join;
use uuid::Uuid;

use super::rows::{ITS_INBOX_LIVES, THREAD, ThreadRow};
use crate::error::{all_done, expect_rows};
use crate::messages::rows::INBOX_LIVES;
use crate::sql::Sql;
use crate::text::{folded, to_json};
use crate::tx::PgTx;
use crate::usage::from_count;

/// Columns and values alike, in the order in which [`bind`] binds them; the first three are the key.
const COLUMNS: &str =
    "organization_id, inbox_id, thread_id, labels, visible, timestamp, received_timestamp, sent_timestamp,
    senders, recipients, subject, preview, attachments, last_message_id, message_count, size, hidden_sets, assignee_id,
    assignee, folded_senders, folded_recipients, folded_subject, updated_at";
const VALUES: &str =
    "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23";

/// The columns of new threads, each in a row of its own.
static INSERT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO threads ({COLUMNS}, created_at)
        SELECT organization_id, inbox_id, thread_id, labels::text[], visible, timestamp, received_timestamp, sent_timestamp,
            senders::text[], recipients::text[], subject, preview, attachments, last_message_id, message_count, size,
            hidden_sets, assignee_id, assignee, folded_senders::text[], folded_recipients::text[], folded_subject,
            updated_at, created_at
        FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::boolean[], $6::timestamptz[], $7::timestamptz[],
            $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::text[], $13::jsonb[], $14::text[],
            $15::bigint[], $16::bigint[], $17::integer[], $18::text[], $19::jsonb[], $20::text[], $21::text[],
            $22::text[], $23::timestamptz[], $24::timestamptz[]) AS new({COLUMNS}, created_at)"
    )
});

const LABELS: &str = "
    INSERT INTO thread_labels (organization_id, inbox_id, label, visible, timestamp, thread_id)
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::timestamptz[], $6::uuid[])";

/// The labels' rows are keyed by what is shown of the thread, so that those whose key stays are left alone: within one
/// statement a key cannot be deleted and inserted again.
static UPDATE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH old AS (
            SELECT labels, visible, timestamp FROM threads
            WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3
        ), gone AS (
            DELETE FROM thread_labels l
            USING old CROSS JOIN LATERAL unnest(old.labels) AS was(label)
            WHERE l.organization_id = $1 AND l.inbox_id = $2 AND l.label = was.label AND l.visible = old.visible
                AND l.timestamp = old.timestamp AND l.thread_id = $3
                AND NOT (old.visible = $5 AND old.timestamp = $6 AND was.label = ANY($4))
        ), come AS (
            INSERT INTO thread_labels (organization_id, inbox_id, label, visible, timestamp, thread_id)
            SELECT $1, $2, becomes.label, $5, $6, $3
            FROM old CROSS JOIN unnest($4::text[]) AS becomes(label)
            WHERE NOT (old.visible = $5 AND old.timestamp = $6 AND becomes.label = ANY(old.labels))
        )
        UPDATE threads SET ({COLUMNS}) = ({VALUES})
        WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3"
    )
});

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
    )
    DELETE FROM threads WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3";

/// How many threads are taken from an assignee at once.
const BATCH: i64 = 500;

/// Rows are locked in the order of all threads. Whoever is writing one of them is waited for: then it has another place
/// than this statement saw, so that what is done to it is done by another statement, which sees it as it is now.
const LOCK_ASSIGNED: &str = "
    SELECT inbox_id, thread_id FROM threads
    WHERE organization_id = $1 AND assignee_id = $2 AND NOT (inbox_id = ANY($3))
    ORDER BY inbox_id, thread_id LIMIT $4 FOR NO KEY UPDATE";

/// The rows are locked; they are found by their keys and taken by place as in `messages/delete.rs`.
const UNASSIGN: &str = "
    UPDATE threads SET assignee_id = NULL, assignee = NULL, updated_at = $4
    WHERE ctid = ANY(ARRAY(
        SELECT t.ctid FROM unnest($2::text[], $3::uuid[]) AS w(inbox_id, thread_id) CROSS JOIN LATERAL (
            SELECT ctid FROM threads
            WHERE organization_id = $1 AND inbox_id = w.inbox_id AND thread_id = w.thread_id OFFSET 0) t))";

/// The key of a thread within its organization.
#[derive(QueryableByName)]
struct ThreadKeyRow {
    #[diesel(sql_type = Text)]
    inbox_id: String,
    #[diesel(sql_type = SqlUuid)]
    thread_id: Uuid,
}

#[async_trait]
impl Threads for PgTx {
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_ids: &[ThreadId],
    ) -> Result<Vec<Thread>, StoreError> {
        let text = format!(
            "SELECT {THREAD} FROM threads t
            WHERE t.organization_id = $1 AND t.inbox_id = $2 AND t.thread_id = ANY($3) AND {INBOX_LIVES}
            ORDER BY t.thread_id FOR NO KEY UPDATE OF t"
        );
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .uuids(thread_ids.iter().map(|thread_id| thread_id.0))
            .rows::<ThreadRow>(self.connection()?)
            .await?;
        rows.into_iter().map(ThreadRow::entity).collect()
    }

    async fn lock_across(&mut self, threads: &[ThreadKey]) -> Result<Vec<Thread>, StoreError> {
        let text = format!(
            "SELECT {THREAD} FROM threads t
            WHERE (t.organization_id, t.inbox_id, t.thread_id) IN (
                SELECT w.organization_id, w.inbox_id, w.thread_id
                FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS w(organization_id, inbox_id, thread_id))
                AND {ITS_INBOX_LIVES}
            ORDER BY t.inbox_id, t.thread_id FOR NO KEY UPDATE OF t"
        );
        let rows = Sql::new(text)
            .uuids(threads.iter().map(|key| key.organization_id.0))
            .texts(threads.iter().map(|key| key.inbox_id.as_str()))
            .uuids(threads.iter().map(|key| key.thread_id.0))
            .rows::<ThreadRow>(self.connection()?)
            .await?;
        rows.into_iter().map(ThreadRow::entity).collect()
    }

    async fn update(&mut self, threads: &[Thread]) -> Result<(), StoreError> {
        update(self.connection()?, threads).await
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
                .rows::<ThreadKeyRow>(self.connection()?)
                .await?;
            if locked.is_empty() {
                return Ok(());
            }
            let taken = Sql::new(UNASSIGN)
                .uuid(organization_id.0)
                .texts(locked.iter().map(|row| row.inbox_id.as_str()))
                .uuids(locked.iter().map(|row| row.thread_id))
                .time(at)
                .run(self.connection()?)
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
            .run(self.connection()?)
            .await?;
        expect_rows(deleted, 1)
    }
}

/// Stores new threads.
pub(crate) async fn insert(connection: &AsyncPgConnection, threads: &[Thread]) -> Result<(), StoreError> {
    if threads.is_empty() {
        return Ok(());
    }
    let (rows, labels) = join!(rows(connection, threads), labels(connection, threads));
    all_done([rows, labels])
}

async fn rows(connection: &AsyncPgConnection, threads: &[Thread]) -> Result<(), StoreError> {
    let folds: Vec<Folds> = threads.iter().map(Folds::of).collect();
    let written = Sql::new(INSERT.as_str())
        .uuids(threads.iter().map(|thread| thread.organization_id.0))
        .texts(threads.iter().map(|thread| thread.inbox_id.as_str()))
        .uuids(threads.iter().map(|thread| thread.thread_id.0))
        .lists(threads.iter().map(|thread| thread.labels.iter()))
        .truths(threads.iter().map(is_visible))
        .times(threads.iter().map(|thread| thread.timestamp))
        .optional_times(threads.iter().map(|thread| thread.received_timestamp))
        .optional_times(threads.iter().map(|thread| thread.sent_timestamp))
        .lists(threads.iter().map(|thread| thread.senders.iter().map(String::as_str)))
        .lists(threads.iter().map(|thread| thread.recipients.iter().map(String::as_str)))
        .optional_texts(threads.iter().map(|thread| thread.subject.as_deref()))
        .optional_texts(threads.iter().map(|thread| thread.preview.as_deref()))
        .jsons(threads.iter().map(|thread| to_json(&thread.attachments)).collect::<Result<_, _>>()?)
        .texts(threads.iter().map(|thread| thread.last_message_id.as_str()))
        .bigs(threads.iter().map(|thread| from_count(thread.message_count)))
        .bigs(threads.iter().map(|thread| from_count(thread.size)))
        .integers(threads.iter().map(|thread| thread.hidden_sets))
        .optional_texts(folds.iter().map(|folds| folds.assignee_id.as_deref()))
        .optional_jsons(
            threads.iter().map(|thread| thread.assignee.as_ref().map(to_json).transpose()).collect::<Result<_, _>>()?,
        )
        .lists(folds.iter().map(|folds| folds.senders.iter().map(String::as_str)))
        .lists(folds.iter().map(|folds| folds.recipients.iter().map(String::as_str)))
        .texts(folds.iter().map(|folds| folds.subject.as_str()))
        .times(threads.iter().map(|thread| thread.updated_at))
        .times(threads.iter().map(|thread| thread.created_at))
        .run_among(connection)
        .await?;
    expect_rows(written, threads.len())
}

async fn labels(connection: &AsyncPgConnection, threads: &[Thread]) -> Result<(), StoreError> {
    let rows: Vec<(&Thread, &str)> =
        threads.iter().flat_map(|thread| thread.labels.iter().map(move |label| (thread, label))).collect();
    let written = Sql::new(LABELS)
        .uuids(rows.iter().map(|(thread, _)| thread.organization_id.0))
        .texts(rows.iter().map(|(thread, _)| thread.inbox_id.as_str()))
        .texts(rows.iter().map(|(_, label)| *label))
        .truths(rows.iter().map(|(thread, _)| is_visible(thread)))
        .times(rows.iter().map(|(thread, _)| thread.timestamp))
        .uuids(rows.iter().map(|(thread, _)| thread.thread_id.0))
        .run_among(connection)
        .await?;
    expect_rows(written, rows.len())
}

/// Stores all of threads that their messages make, in one go.
pub(crate) async fn update(connection: &AsyncPgConnection, threads: &[Thread]) -> Result<(), StoreError> {
    all_done(join_all(threads.iter().map(|thread| update_one(connection, thread))).await)
}

async fn update_one(connection: &AsyncPgConnection, thread: &Thread) -> Result<(), StoreError> {
    let folds = Folds::of(thread);
    let written = bind(Sql::new(UPDATE.as_str()), thread, &folds)?.run_among(connection).await?;
    expect_rows(written, 1)
}

/// Whether one of its messages is shown by every list.
fn is_visible(thread: &Thread) -> bool {
    thread.hidden_sets & Hidden::NONE.as_set() != 0
}

/// What filters look through.
struct Folds {
    senders: Vec<String>,
    recipients: Vec<String>,
    subject: String,
    assignee_id: Option<String>,
}

impl Folds {
    fn of(thread: &Thread) -> Self {
        Self {
            senders: thread.senders.iter().map(|sender| folded(sender)).collect(),
            recipients: thread.recipients.iter().map(|recipient| folded(recipient)).collect(),
            subject: thread.subject.as_deref().map(folded).unwrap_or_default(),
            assignee_id: thread.assignee.as_ref().map(Actor::id),
        }
    }
}

/// Binds [`COLUMNS`].
fn bind<'a>(statement: Sql<'a>, thread: &'a Thread, folds: &'a Folds) -> Result<Sql<'a>, StoreError> {
    Ok(statement
        .uuid(thread.organization_id.0)
        .text(thread.inbox_id.as_str())
        .uuid(thread.thread_id.0)
        .texts(thread.labels.iter())
        .truth(is_visible(thread))
        .time(thread.timestamp)
        .optional_time(thread.received_timestamp)
        .optional_time(thread.sent_timestamp)
        .texts(thread.senders.iter().map(String::as_str))
        .texts(thread.recipients.iter().map(String::as_str))
        .optional_text(thread.subject.as_deref())
        .optional_text(thread.preview.as_deref())
        .json(to_json(&thread.attachments)?)
        .text(thread.last_message_id.as_str())
        .big(from_count(thread.message_count))
        .big(from_count(thread.size))
        .integer(thread.hidden_sets)
        .optional_text(folds.assignee_id.as_deref())
        .optional_json(thread.assignee.as_ref().map(to_json).transpose()?)
        .texts(folds.senders.iter().map(String::as_str))
        .texts(folds.recipients.iter().map(String::as_str))
        .text(&folds.subject)
        .time(thread.updated_at))
}
