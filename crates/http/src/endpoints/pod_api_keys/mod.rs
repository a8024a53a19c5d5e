//! `/v0/pods/{pod_id}/api-keys`: keys that reach one pod, or one inbox of it.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod update;
