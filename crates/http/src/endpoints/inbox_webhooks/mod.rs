//! `/v0/inboxes/{inbox_id}/webhooks`: who is told of the events of one inbox.

pub(crate) mod attempts;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod headers;
pub(crate) mod list;
pub(crate) mod replay;
pub(crate) mod rotate_secret;
pub(crate) mod update;
pub(crate) mod update_headers;
