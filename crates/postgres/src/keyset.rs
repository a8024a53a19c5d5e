//! Where a page begins and which way it goes.

use inboxd_core::model::page::{Cursor, Direction, PageRequest};
use uuid::Uuid;

/// The words of a direction. Times and ids always run the same way, so that one comparison of rows finds the place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    /// The sort order of each key.
    pub(crate) sort: &'static str,
    /// How a row behind the cursor compares with it.
    pub(crate) behind: &'static str,
}

impl Order {
    /// The words of a direction.
    pub(crate) fn of(direction: Direction) -> Self {
        match direction {
            Direction::Descending => Self { sort: "DESC", behind: "<" },
            Direction::Ascending => Self { sort: "ASC", behind: ">" },
        }
    }
}

/// How many rows to read for a page: one more than it shows, which says whether there are more.
pub(crate) fn rows_to_read(limit: u32) -> i64 {
    i64::from(limit) + 1
}

/// The condition that a row stands behind the cursor of a page, whose time is value `$time` and whose id `$id`; nothing
/// for the first page.
pub(crate) fn behind_cursor(page: &PageRequest, keys: &str, values: &str) -> String {
    let behind = Order::of(page.direction).behind;
    if page.after.is_some() { format!("AND ({keys}) {behind} ({values})") } else { String::new() }
}

/// The id of a cursor in a list whose ids are UUIDs. A cursor that no such list gave stands before all ids of its time.
pub(crate) fn cursor_uuid(cursor: &Cursor) -> Uuid {
    Uuid::try_parse(&cursor.id).unwrap_or_else(|_| Uuid::nil())
}
