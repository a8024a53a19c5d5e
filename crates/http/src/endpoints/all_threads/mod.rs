//! `/v0/threads`: threads of all inboxes.

pub(crate) mod attachment;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod search;
pub(crate) mod update;
