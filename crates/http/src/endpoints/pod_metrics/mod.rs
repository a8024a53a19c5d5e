//! `/v0/pods/{pod_id}/metrics`

pub(crate) mod events;
pub(crate) mod usage;
