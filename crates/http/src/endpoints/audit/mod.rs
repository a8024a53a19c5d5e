//! `/v0/audit`

pub(crate) mod list;
