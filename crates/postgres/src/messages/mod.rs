//! Messages: reads, lists, searches and writes.

pub(crate) mod body;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod insert;
pub(crate) mod labels;
pub(crate) mod list;
mod loop_budgets;
mod read;
mod redact;
pub(crate) mod rows;
mod search;
mod write;
