//! Statement that counts messages of contacts, a part of the commit batch.

use inboxd_core::model::ContactChange;
use inboxd_core::ports::StoreError;

use crate::array_params::{Column, Values, unnest_rows};
use crate::cte::CteFragment;
use crate::sql::Sql;

/// Columns of a change.
const CHANGED: &[Column<ContactChange>] = &[
    ("organization_id", Values::Uuid(|change| change.key.organization_id.0)),
    ("inbox_id", Values::Text(|change| change.key.inbox_id.as_str())),
    ("address", Values::Text(|change| &change.key.address)),
    ("name", Values::OptionalText(|change| change.name.as_deref())),
    ("received", Values::BigInt(|change| change.received.into())),
    ("authenticated", Values::BigInt(|change| change.authenticated.into())),
    ("sent", Values::BigInt(|change| change.sent.into())),
    ("at", Values::Time(|change| change.at)),
];

/// Counts messages of contacts: the rows are locked in the order of the changes, each once.
pub(crate) fn count_contacts() -> CteFragment {
    let tables = format!(
        "counted AS (
            INSERT INTO contacts AS c (organization_id, inbox_id, address, name, received_count, authenticated_count,
                sent_count, received_at, sent_at, first_sent_at, created_at, updated_at)
            SELECT n.organization_id, n.inbox_id, n.address, n.name, n.received, n.authenticated, n.sent,
                CASE WHEN n.received > 0 THEN n.at END, CASE WHEN n.sent > 0 THEN n.at END,
                CASE WHEN n.sent > 0 THEN n.at END, n.at, n.at
                FROM ({}) n
            ON CONFLICT (organization_id, inbox_id, address) DO UPDATE SET
                name = coalesce(excluded.name, c.name),
                received_count = c.received_count + excluded.received_count,
                authenticated_count = c.authenticated_count + excluded.authenticated_count,
                sent_count = c.sent_count + excluded.sent_count,
                received_at = greatest(c.received_at, excluded.received_at),
                sent_at = greatest(c.sent_at, excluded.sent_at),
                first_sent_at = coalesce(c.first_sent_at, excluded.first_sent_at)
            RETURNING 1
        )",
        unnest_rows(CHANGED)
    );
    CteFragment { tables, counted: "counted" }
}

/// Binds the rows of [`count_contacts`].
pub(crate) fn bind<'a>(statement: Sql<'a>, changes: &'a [ContactChange]) -> Result<Sql<'a>, StoreError> {
    statement.bind_rows(CHANGED, changes)
}
