//! Inboxes and the directory of addresses.

mod purge;
mod read;
mod rows;
pub(crate) mod write;
