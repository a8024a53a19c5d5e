//! `/v0/inboxes/{inbox_id}/lists/{direction}/{type}`: allow and block lists of an inbox.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
