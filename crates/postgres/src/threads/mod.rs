//! Threads: reads, lists, searches and writes.

mod list;
mod read;
pub(crate) mod rows;
mod search;
pub(crate) mod summaries;
mod write;
