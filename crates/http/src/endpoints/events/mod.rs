//! `/v0/events`

pub(crate) mod list;
