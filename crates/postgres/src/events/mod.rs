//! Events: the record of changes.

pub(crate) mod append;
mod list;
pub(crate) mod mail;
pub(crate) mod rows;
mod submissions;
mod write;
