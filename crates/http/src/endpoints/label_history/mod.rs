//! History of label changes by callers.

pub(crate) mod list;
