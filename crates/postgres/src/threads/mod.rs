//! Threads.

mod list;
mod read;
pub(crate) mod rows;
pub(crate) mod write;
