//! The record of what happened.

mod append;
mod list;
mod mail;
pub(crate) mod rows;
