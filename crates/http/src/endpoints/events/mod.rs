//! `/v0/events`: the event feed.

mod follow;
pub(crate) mod list;
