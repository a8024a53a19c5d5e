//! `/v0/metrics`, also below inboxes and pods.

mod events;
mod rates;
mod scope;
mod usage;
