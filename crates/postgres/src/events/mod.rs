//! The record of what happened.

pub(crate) mod append;
mod list;
mod mail;
pub(crate) mod rows;
