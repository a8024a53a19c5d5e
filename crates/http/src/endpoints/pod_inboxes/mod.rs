//! `/v0/pods/{pod_id}/inboxes`: the inboxes of one pod.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod update;
