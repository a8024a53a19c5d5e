//! Inboxes and the directory of addresses.

mod purge;
pub(crate) mod read;
mod rows;
pub(crate) mod write;
