//! Statements that change usage, parts of the commit batch.

use std::collections::BTreeSet;

use inboxd_core::model::{InboxId, OrganizationId, UsageChange};
use inboxd_core::ports::StoreError;
use time::Date;

use crate::array_params::{Column, Values, names, unnest_rows};
use crate::cte::CteFragment;
use crate::sql::Sql;

/// A change of the usage of an inbox.
type InboxChange = (OrganizationId, InboxId, UsageChange);

/// Columns of a change of usage.
const CHANGED: &[Column<InboxChange>] = &[
    ("organization_id", Values::Uuid(|(organization_id, ..)| organization_id.0)),
    ("inbox_id", Values::Text(|(_, inbox_id, _)| inbox_id.as_str())),
    ("storage_bytes", Values::BigInt(|(.., change)| change.storage_bytes)),
    ("messages", Values::BigInt(|(.., change)| change.messages)),
    ("threads", Values::BigInt(|(.., change)| change.threads)),
];

/// Columns of a count of sent mail.
const SENT: &[Column<(OrganizationId, Date, u32)>] = &[
    ("organization_id", Values::Uuid(|(organization_id, ..)| organization_id.0)),
    ("day", Values::Date(|(_, day, _)| *day)),
    ("count", Values::BigInt(|(.., mails)| i64::from(*mails))),
];

/// Updates the usage of inboxes: the rows are locked in order, each once.
pub(crate) fn update_usage() -> CteFragment {
    let tables = format!(
        "used AS (
            INSERT INTO inbox_usage (organization_id, inbox_id, storage_bytes, messages, threads)
            SELECT c.organization_id, c.inbox_id, sum(c.storage_bytes)::bigint, sum(c.messages)::bigint, sum(c.threads)::bigint
                FROM ({}) c GROUP BY c.organization_id, c.inbox_id ORDER BY c.inbox_id COLLATE \"C\"
            ON CONFLICT (organization_id, inbox_id) DO UPDATE SET
                storage_bytes = inbox_usage.storage_bytes + excluded.storage_bytes,
                messages = inbox_usage.messages + excluded.messages,
                threads = inbox_usage.threads + excluded.threads
            RETURNING 1
        )",
        unnest_rows(CHANGED)
    );
    CteFragment { tables, counted: "used" }
}

/// Updates the counts of sent messages.
pub(crate) fn update_sends() -> CteFragment {
    let tables = format!(
        "sends AS (
            INSERT INTO send_counts ({}) {}
            ON CONFLICT (organization_id, day) DO UPDATE SET count = send_counts.count + excluded.count
            RETURNING 1
        )",
        names(SENT),
        unnest_rows(SENT)
    );
    CteFragment { tables, counted: "sends" }
}

/// Binds the rows of [`update_usage`].
pub(crate) fn bind<'a>(statement: Sql<'a>, changes: &'a [InboxChange]) -> Result<Sql<'a>, StoreError> {
    statement.bind_rows(CHANGED, changes)
}

/// Binds the rows of [`update_sends`].
pub(crate) fn bind_sends<'a>(
    statement: Sql<'a>,
    sends: &'a [(OrganizationId, Date, u32)],
) -> Result<Sql<'a>, StoreError> {
    statement.bind_rows(SENT, sends)
}

/// Returns the number of rows that these changes write.
pub(crate) fn rows_of(changes: &[InboxChange]) -> usize {
    changes.iter().map(|(organization_id, inbox_id, _)| (organization_id, inbox_id)).collect::<BTreeSet<_>>().len()
}
