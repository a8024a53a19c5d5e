//! What callers did to the labels of messages.

pub(crate) mod list;
