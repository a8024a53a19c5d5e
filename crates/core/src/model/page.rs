//! Pages of lists: keyset only, so that a row that comes or goes between two pages moves no other.

use time::OffsetDateTime;

/// Which end of the list comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// Newest first.
    #[default]
    Descending,
    /// Oldest first.
    Ascending,
}

/// The place of a row in its list: its time, and its id where times are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The time that the list is ordered by.
    pub time: OffsetDateTime,
    /// The id that breaks ties, in the form that storage orders by.
    pub id: String,
}

/// Which page is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// The most rows of the page, 1 to 200.
    pub limit: u32,
    /// The last row of the page before; `None` for the first page.
    pub after: Option<Cursor>,
    /// The order.
    pub direction: Direction,
}

impl PageRequest {
    /// Rows of a page when the caller names no number (`service.md`, section 8, rule 6).
    pub const DEFAULT_LIMIT: u32 = 50;
    /// The most rows of a page.
    pub const MAX_LIMIT: u32 = 200;
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { limit: Self::DEFAULT_LIMIT, after: None, direction: Direction::Descending }
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// Its rows, in order.
    pub items: Vec<T>,
    /// The place of its last row, when there are more behind it.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// Makes a page of rows that were read with one more than `limit`: the surplus row only says that there are more.
    #[must_use]
    pub fn of(mut rows: Vec<T>, limit: u32, place: impl Fn(&T) -> Cursor) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = if more { rows.last().map(place) } else { None };
        Self { items: rows, next }
    }
}
