//! Columns of tables.

use std::borrow::Cow;

use serde_json::Value;

use super::text::one_line;

/// Kind of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Shown whole, so that it can be copied.
    Id,
    /// Cut where the terminal is narrow.
    Text,
    /// Left out where the terminal is narrow.
    Extra,
    /// Shown as the distance from now.
    Time,
}

/// Column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableColumn {
    pub(crate) header: Cow<'static, str>,
    /// Name of the field, or path of a field within it.
    pub(crate) field: Cow<'static, str>,
    pub(crate) kind: ColumnKind,
}

use ColumnKind::{Extra, Id, Text, Time};

type KnownColumn = (&'static str, &'static str, ColumnKind);

/// Columns by the plural of their items.
const KNOWN: [(&str, &[KnownColumn]); 19] = [
    (
        "api_keys",
        &[
            ("NAME", "name", Text),
            ("PREFIX", "prefix", Id),
            ("STATUS", "status", Text),
            ("USED", "used_at", Time),
            ("EXPIRES", "expires_at", Time),
            ("ID", "api_key_id", Id),
        ],
    ),
    (
        "attempts",
        &[
            ("WHEN", "attempted_at", Time),
            ("EVENT", "event_type", Text),
            ("STATUS", "status_code", Text),
            ("ERROR", "error", Text),
            ("WEBHOOK", "webhook_id", Id),
            ("EVENT ID", "event_id", Id),
        ],
    ),
    (
        "connections",
        &[
            ("CLIENT", "client_name", Text),
            ("HOST", "redirect_host", Text),
            ("SCOPE", "scope", Text),
            ("USED", "used_at", Time),
            ("ID", "connection_id", Id),
        ],
    ),
    (
        "domains",
        &[
            ("DOMAIN", "domain", Id),
            ("STATUS", "status", Text),
            ("REASON", "reason", Text),
            ("CREATED", "created_at", Time),
        ],
    ),
    (
        "drafts",
        &[
            ("UPDATED", "updated_at", Time),
            ("TO", "to", Text),
            ("SUBJECT", "subject", Text),
            ("STATUS", "send_status", Text),
            ("SEND AT", "send_at", Time),
            ("ID", "draft_id", Id),
        ],
    ),
    (
        "entries",
        &[
            ("ENTRY", "entry", Id),
            ("DIRECTION", "direction", Text),
            ("LIST", "list_type", Text),
            ("REASON", "reason", Text),
            ("CREATED", "created_at", Time),
        ],
    ),
    (
        "events",
        &[
            ("WHEN", "created_at", Time),
            ("TYPE", "event_type", Text),
            ("INBOX", "inbox_id", Extra),
            ("FROM", "message/from", Text),
            ("SUBJECT", "message/subject", Text),
            ("LABEL", "label", Text),
            ("ID", "event_id", Id),
        ],
    ),
    (
        "inboxes",
        &[
            ("INBOX", "inbox_id", Id),
            ("NAME", "display_name", Text),
            ("STATUS", "status", Text),
            ("POD", "pod_id", Extra),
            ("CREATED", "created_at", Time),
        ],
    ),
    (
        "members",
        &[
            ("EMAIL", "email", Id),
            ("NAME", "name", Text),
            ("ROLE", "role", Text),
            ("STATUS", "status", Text),
            ("INBOXES", "inbox_ids", Text),
            ("ID", "member_id", Id),
        ],
    ),
    (
        "messages",
        &[
            ("WHEN", "timestamp", Time),
            ("FROM", "from", Text),
            ("SUBJECT", "subject", Text),
            ("LABELS", "labels", Extra),
            ("ID", "message_id", Id),
        ],
    ),
    (
        "contacts",
        &[
            ("ADDRESS", "address", Id),
            ("NAME", "name", Text),
            ("DECISION", "decision", Text),
            ("RECEIVED", "received_count", Text),
            ("SENT", "sent_count", Text),
            ("SINCE", "created_at", Time),
        ],
    ),
    ("pods", &[("NAME", "name", Text), ("ID", "pod_id", Id), ("CREATED", "created_at", Time)]),
    ("suppressions", &[("ADDRESS", "address", Id), ("REASON", "reason", Text), ("CREATED", "created_at", Time)]),
    (
        "threads",
        &[
            ("WHEN", "timestamp", Time),
            ("SENDERS", "senders", Text),
            ("SUBJECT", "subject", Text),
            ("N", "message_count", Text),
            ("LABELS", "labels", Extra),
            ("ASSIGNEE", "assignee/name", Text),
            ("ID", "thread_id", Id),
        ],
    ),
    ("updates", &[("ID", "message_id", Id), ("LABELS", "labels", Extra)]),
    (
        "trace",
        &[
            ("WHEN", "at", Time),
            ("KIND", "kind", Text),
            ("BY", "actor/name", Text),
            ("FROM", "detail/from", Text),
            ("REFUSED", "detail/refusal/envelope_from", Extra),
            ("LABEL", "detail/label", Text),
            ("VERDICT", "detail/trust/verdict", Extra),
            ("MESSAGE", "message_id", Id),
        ],
    ),
    (
        "webhooks",
        &[
            ("URL", "url", Text),
            ("ENABLED", "enabled", Text),
            ("EVENTS", "event_types", Text),
            ("FAILING SINCE", "failing_since", Time),
            ("ID", "webhook_id", Id),
        ],
    ),
    ("organizations", &[("ID", "organization_id", Id), ("ROLE", "role", Text)]),
    (
        "notes",
        &[("WHEN", "created_at", Time), ("BY", "author/name", Text), ("TEXT", "text", Text), ("ID", "note_id", Id)],
    ),
];

/// Number of columns of items that have none of their own.
const MAX_OTHER_COLUMNS: usize = 6;

/// Returns the columns of a list. A column without any value is left out.
pub(crate) fn of(plural: &str, items: &[Value]) -> Vec<TableColumn> {
    let known = KNOWN.iter().find(|(name, _)| *name == plural).map(|(_, columns)| *columns);
    let columns: Vec<TableColumn> = match known {
        Some(columns) => columns
            .iter()
            .map(|(header, field, kind)| TableColumn { header: (*header).into(), field: (*field).into(), kind: *kind })
            .collect(),
        None => other(items),
    };
    let has_value = |column: &TableColumn| items.iter().any(|item| !is_empty(value(item, &column.field)));
    columns.into_iter().filter(has_value).collect()
}

/// Returns columns for the plain fields of items without columns of their own.
fn other(items: &[Value]) -> Vec<TableColumn> {
    let fields = items.first().and_then(Value::as_object).into_iter().flatten();
    let plain = fields.filter(|(_, value)| !value.is_object() && !value.is_array());
    let column = |(name, _): (&String, &Value)| TableColumn {
        header: one_line(&name.to_ascii_uppercase().replace('_', " ")).into(),
        field: name.clone().into(),
        kind: match name {
            name if name.ends_with("_id") => Id,
            name if name.ends_with("_at") => Time,
            _ => Text,
        },
    };
    plain.map(column).take(MAX_OTHER_COLUMNS).collect()
}

/// Returns a field of an item.
pub(crate) fn value<'a>(item: &'a Value, field: &str) -> &'a Value {
    field.split('/').fold(item, |found, name| &found[name])
}

/// Returns whether a value says nothing.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}
