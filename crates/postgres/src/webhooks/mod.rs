//! Webhooks.

pub(crate) mod attempts;
mod read;
mod rows;
mod scope;
mod write;

pub(crate) use rows::{SEALED, WEBHOOK, WholeRow, event_type};
