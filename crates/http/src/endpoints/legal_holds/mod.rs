//! Legal holds.

pub(crate) mod get;
pub(crate) mod update;
