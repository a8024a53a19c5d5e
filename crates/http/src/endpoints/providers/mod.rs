//! `/v0/providers`: always empty.

pub(crate) mod accounts;
pub(crate) mod connect;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod search;
