//! Keyset pagination.

use inboxd_core::model::page::{Cursor, Direction, PageRequest};
use uuid::Uuid;

/// SQL of a direction. Times and ids have the same order, so that one row comparison finds the position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeysetOrder {
    /// Sort order of each key.
    pub(crate) sort: &'static str,
    /// Comparison of a row behind the cursor with the cursor.
    pub(crate) behind: &'static str,
}

impl KeysetOrder {
    /// Returns the SQL of a direction.
    pub(crate) fn of(direction: Direction) -> Self {
        match direction {
            Direction::Descending => Self { sort: "DESC", behind: "<" },
            Direction::Ascending => Self { sort: "ASC", behind: ">" },
        }
    }
}

/// Returns the number of rows to read for a page: one more than its limit, which shows whether more follow.
pub(crate) fn rows_to_read(limit: u32) -> i64 {
    i64::from(limit) + 1
}

/// Returns the condition that a row is behind the cursor of a page; empty for the first page. `keys` are columns,
/// `values` parameters.
pub(crate) fn behind_cursor(page: &PageRequest, keys: &str, values: &str) -> String {
    let behind = KeysetOrder::of(page.direction).behind;
    if page.after.is_some() { format!("AND ({keys}) {behind} ({values})") } else { String::new() }
}

/// Returns the condition that a row is behind the cursor of a page with one key; empty for the first page.
pub(crate) fn behind_key(page: &PageRequest, key: &str, value: &str) -> String {
    let behind = KeysetOrder::of(page.direction).behind;
    if page.after.is_some() { format!("AND {key} {behind} {value}") } else { String::new() }
}

/// Returns the id of a cursor in a list with UUIDs. A foreign cursor sorts before all ids of its time.
pub(crate) fn cursor_uuid(cursor: &Cursor) -> Uuid {
    Uuid::try_parse(&cursor.id).unwrap_or_else(|_| Uuid::nil())
}
