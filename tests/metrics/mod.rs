//! `/v0/metrics`, also below inboxes and pods.

mod events;
mod scope;
mod usage;
