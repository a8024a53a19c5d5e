//! Messages: reads, lists, searches and writes.

mod budgets;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod insert;
pub(crate) mod labels;
pub(crate) mod list;
mod read;
pub(crate) mod rows;
mod search;
mod write;
