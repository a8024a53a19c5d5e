//! `/v0/metrics` and its kin below inboxes and pods.

mod events;
mod reach;
mod usage;
