//! Threads: read, labelled, assigned, deleted.

mod attachment;
mod delete;
mod get;
mod list;
mod update;

pub use attachment::attachment;
pub use delete::delete;
pub use get::{ThreadPage, get};
pub use list::{AssigneeChoice, ThreadFilter, list};
pub use update::{Assignment, ThreadChange, update};
