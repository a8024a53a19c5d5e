//! `/v0/suppressions`

pub(crate) mod list;
