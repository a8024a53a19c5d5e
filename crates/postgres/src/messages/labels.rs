//! Labels of messages, for many messages in a few statements.

use std::sync::LazyLock;

use diesel::QueryableByName;
use diesel::sql_types::Text as SqlText;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{HidingLabels, InboxId, Labels, MessageItem, OrganizationId, ThreadId};
use inboxd_core::ports::StoreError;

use crate::array_params::Values::{SmallInt, Text, Texts, Time, Uuid};
use crate::array_params::{self, Column, text_list, unnest_rows};
use crate::cte::{CteFragment, writing};
use crate::sql::Sql;

/// Columns of a message with changed labels.
const RELABELLED: &[Column<MessageItem>] = &[
    ("organization_id", Uuid(|item| item.organization_id.0)),
    ("inbox_id", Text(|item| item.inbox_id.as_str())),
    ("message_id", Text(|item| item.message_id.as_str())),
    ("labels", Texts(|item| text_list(item.labels.iter()))),
    ("hidden", SmallInt(|item| HidingLabels::of(&item.labels).bits())),
    ("updated_at", Time(|item| item.updated_at)),
];

/// Updates the labels of messages. The key of a label row includes the hidden state of its message. Rows with an
/// unchanged key are not touched, because one statement cannot delete and insert the same key.
///
/// `old_rows` has whole keys. If the labels were joined with the rest of the key, the planner could look for a row by
/// the rest alone, which passes over the inbox.
pub(crate) fn update_label_rows() -> CteFragment {
    let given = unnest_rows(RELABELLED);
    let tables = format!(
        "relabelled AS MATERIALIZED (
        SELECT n.organization_id, n.inbox_id, n.message_id, m.timestamp, m.labels AS old_labels,
            m.hidden AS old_hidden, n.labels, n.hidden, n.updated_at
        FROM ({given}) n JOIN messages m USING (organization_id, inbox_id, message_id)
    ), old_rows AS MATERIALIZED (
        SELECT c.organization_id, c.inbox_id, was.label, c.old_hidden AS hidden, c.timestamp, c.message_id
        FROM relabelled c CROSS JOIN LATERAL unnest(c.old_labels) AS was(label)
        WHERE NOT (c.old_hidden = c.hidden AND was.label = ANY(c.labels))
    ), labels_gone AS (
        DELETE FROM message_labels l USING old_rows o
        WHERE l.organization_id = o.organization_id AND l.inbox_id = o.inbox_id AND l.label = o.label
            AND l.hidden = o.hidden AND l.timestamp = o.timestamp AND l.message_id = o.message_id
    ), labels_come AS (
        INSERT INTO message_labels (organization_id, inbox_id, label, hidden, timestamp, message_id)
        SELECT c.organization_id, c.inbox_id, becomes.label, c.hidden, c.timestamp, c.message_id
        FROM relabelled c CROSS JOIN LATERAL unnest(c.labels) AS becomes(label)
        WHERE NOT (c.old_hidden = c.hidden AND becomes.label = ANY(c.old_labels))
    ), shown_elsewhere AS (
        INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
        SELECT organization_id, inbox_id, hidden, timestamp, message_id FROM relabelled WHERE hidden <> old_hidden
    ), labelled AS (
        UPDATE messages m SET labels = c.labels, hidden = c.hidden, updated_at = c.updated_at
        FROM relabelled c
        WHERE m.organization_id = c.organization_id AND m.inbox_id = c.inbox_id AND m.message_id = c.message_id
            AND m.labels = c.old_labels
        RETURNING 1
    )"
    );
    CteFragment { tables, counted: "labelled" }
}

static UPDATE: LazyLock<String> = LazyLock::new(|| writing(&[update_label_rows()]));

#[derive(QueryableByName)]
struct LabelRow {
    #[diesel(sql_type = SqlText)]
    label: String,
}

/// Returns the union of the labels of a thread's messages.
pub(super) async fn of_thread(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    thread_id: ThreadId,
) -> Result<Labels, StoreError> {
    let text = "SELECT DISTINCT label FROM messages m CROSS JOIN LATERAL unnest(m.labels) AS l(label)
        WHERE m.organization_id = $1 AND m.inbox_id = $2 AND m.thread_id = $3";
    let rows = Sql::new(text)
        .uuid(organization_id.0)
        .text(inbox_id.as_str())
        .uuid(thread_id.0)
        .rows::<LabelRow>(connection)
        .await?;
    Ok(rows.into_iter().map(|row| row.label).collect())
}

/// Stores the labels of messages and their times of change.
pub(crate) async fn update(connection: &AsyncPgConnection, messages: &[MessageItem]) -> Result<(), StoreError> {
    for batch in messages.chunks(array_params::MAX_ROWS) {
        bind(Sql::new(UPDATE.as_str()), batch)?.write(connection, &[batch.len()]).await?;
    }
    Ok(())
}

/// Binds the rows of [`labelled`].
pub(crate) fn bind<'a>(statement: Sql<'a>, messages: &'a [MessageItem]) -> Result<Sql<'a>, StoreError> {
    statement.bind_rows(RELABELLED, messages)
}
