//! `/v0/inboxes/{inbox_id}/webhooks`: who is told of the events of one inbox.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod headers;
pub(crate) mod list;
pub(crate) mod rotate_secret;
pub(crate) mod update;
pub(crate) mod update_headers;
