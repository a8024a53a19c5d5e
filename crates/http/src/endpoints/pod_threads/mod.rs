//! `/v0/pods/{pod_id}/threads`: threads of one pod.

pub(crate) mod attachment;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod search;
pub(crate) mod update;
