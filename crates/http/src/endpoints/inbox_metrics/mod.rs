//! `/v0/inboxes/{inbox_id}/metrics`

pub(crate) mod events;
pub(crate) mod usage;
