//! Pages of lists, by keyset, so that inserted and deleted rows move no others.

use time::OffsetDateTime;

/// Order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// Newest first.
    #[default]
    Descending,
    /// Oldest first.
    Ascending,
}

/// Position of a row in its list: its time, and its id among equal times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Time by which the list is ordered.
    pub time: OffsetDateTime,
    /// Id that orders equal times, in the form of storage.
    pub id: String,
}

/// A requested page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// Maximum rows of the page, 1 to 200.
    pub limit: u32,
    /// Last row of the previous page; `None` for the first page.
    pub after: Option<Cursor>,
    /// Order of the rows.
    pub direction: Direction,
}

impl PageRequest {
    /// Default rows of a page (`service.md`, section 8, rule 6).
    pub const DEFAULT_LIMIT: u32 = 50;
    /// Maximum rows of a page.
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
    /// Rows in order.
    pub items: Vec<T>,
    /// Position of the last row, if more rows follow.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// Creates a page from up to `limit` rows and one more, which only shows that more rows follow.
    #[must_use]
    pub fn of(mut rows: Vec<T>, limit: u32, place: impl Fn(&T) -> Cursor) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = if more { rows.last().map(place) } else { None };
        Self { items: rows, next }
    }
}
