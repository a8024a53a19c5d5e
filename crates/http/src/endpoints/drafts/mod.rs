//! `/v0/drafts`: every draft that the caller reaches.

pub(crate) mod attachment;
pub(crate) mod get;
pub(crate) mod list;
