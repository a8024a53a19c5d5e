//! Events: the record of changes.

pub(crate) mod append;
mod list;
mod mail;
pub(crate) mod rows;
