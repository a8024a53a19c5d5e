//! `/v0/inboxes/{inbox_id}/api-keys`: keys that reach one inbox.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod update;
