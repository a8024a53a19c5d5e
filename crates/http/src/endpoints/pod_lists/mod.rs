//! `/v0/pods/{pod_id}/lists/{direction}/{type}`: allow and block lists of a pod.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
