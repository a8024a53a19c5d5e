//! `/v0/pods/{pod_id}/drafts`: the drafts in the inboxes of a pod.

pub(crate) mod attachment;
pub(crate) mod get;
pub(crate) mod list;
