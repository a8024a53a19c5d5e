//! Public interface of the index.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod merge_policy;
mod merging;
mod needles;
mod probing;
mod support;
