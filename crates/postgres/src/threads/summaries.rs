//! Statements that store the summaries of threads, parts of the commit batch.

use std::sync::LazyLock;

use diesel_async::AsyncPgConnection;
use inboxd_core::model::{HidingLabels, Thread};
use inboxd_core::ports::StoreError;

use crate::array_params::Values::{
    BigInt, Bool, ComputedText, Integer, Json, OptionalComputedText, OptionalJson, OptionalText, OptionalTime, Text,
    Texts, Time, Uuid,
};
use crate::array_params::{Column, names, text_list, unnest_rows};
use crate::cte::{CteFragment, writing};
use crate::json::to_json;
use crate::sql::Sql;
use crate::text::{folded, stored};
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
/// unchanged key are not touched, because one statement cannot delete and insert the same key.
pub(crate) fn update_threads() -> CteFragment {
    let (key, changed, given) = (names(KEY), names(CHANGED), unnest_rows(KEY.iter().chain(CHANGED)));
    let values = CHANGED.iter().map(|(name, _)| format!("g.{name}")).collect::<Vec<_>>().join(", ");
    let tables = format!(
        "given AS MATERIALIZED (
            {given}
        ), old AS MATERIALIZED (
            SELECT {key}, t.labels, t.visible, t.timestamp FROM given JOIN threads t USING ({key})
        ), gone_rows AS MATERIALIZED (
            SELECT {key}, was.label, old.visible, old.timestamp
            FROM old JOIN given g USING ({key}) CROSS JOIN LATERAL unnest(old.labels) AS was(label)
            WHERE NOT (old.visible = g.visible AND old.timestamp = g.timestamp AND was.label = ANY(g.labels))
        ), gone AS (
            DELETE FROM thread_labels l USING gone_rows r
            WHERE l.organization_id = r.organization_id AND l.inbox_id = r.inbox_id AND l.label = r.label
                AND l.visible = r.visible AND l.timestamp = r.timestamp AND l.thread_id = r.thread_id
        ), come AS (
            INSERT INTO thread_labels (organization_id, inbox_id, label, visible, timestamp, thread_id)
            SELECT organization_id, inbox_id, becomes.label, g.visible, g.timestamp, thread_id
            FROM old JOIN given g USING ({key}) CROSS JOIN LATERAL unnest(g.labels) AS becomes(label)
            WHERE NOT (old.visible = g.visible AND old.timestamp = g.timestamp AND becomes.label = ANY(old.labels))
        ), joined AS (
            UPDATE threads t SET ({changed}) = ROW({values}) FROM given g
            WHERE t.organization_id = g.organization_id AND t.inbox_id = g.inbox_id AND t.thread_id = g.thread_id
            RETURNING 1
        )"
    );
    CteFragment { tables, counted: "joined" }
}

static UPDATE: LazyLock<String> = LazyLock::new(|| writing(&[update_threads()]));

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
