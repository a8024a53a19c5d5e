//! `/v0/pods/{pod_id}/webhooks`: who is told of the events of one pod, or one inbox of it.

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
