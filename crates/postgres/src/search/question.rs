//! Question to the index: texts and the messages among which they are searched.

use inboxd_core::model::page::Direction;
use inboxd_search::NeedleRanges;
use time::OffsetDateTime;
use uuid::Uuid;

/// Maximum grams of a query: more would exclude hardly any further message.
const MAX_GRAMS: usize = 8;

/// Texts to search, and the part of the inboxes.
#[derive(Debug, Clone)]
pub(crate) struct SearchQuery {
    /// Organization of the inboxes.
    pub(crate) organization_id: Uuid,
    /// The inboxes.
    pub(crate) inbox_ids: Vec<String>,
    /// Visible combinations of hiding labels.
    pub(crate) shown: Vec<i16>,
    /// Ranges of grams of the texts; see [`ranges`].
    pub(crate) ranges: NeedleRanges,
    /// Inclusive upper bound of time.
    pub(crate) newest: Option<OffsetDateTime>,
    /// Inclusive lower bound of time.
    pub(crate) oldest: Option<OffsetDateTime>,
    /// Order of the result.
    pub(crate) direction: Direction,
    /// Whether an unreadable block excludes no message. Otherwise it fails the query.
    pub(crate) reads_damaged: bool,
}

/// Returns ranges of grams: each message with all these texts, in lower case, contains at least one gram of each range.
pub(crate) fn ranges<'a>(needles: impl IntoIterator<Item = &'a str>) -> NeedleRanges {
    NeedleRanges::of(needles, MAX_GRAMS)
}
