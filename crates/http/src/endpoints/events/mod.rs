//! `/v0/events`: the event feed.

pub(crate) mod follow;
pub(crate) mod list;
