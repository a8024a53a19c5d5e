//! The index as its users see it.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod merge_policy;
mod merging;
mod probing;
mod support;
