//! Use cases of pods, which are groups of inboxes.

mod create;
mod delete;
mod get;
mod hold;
mod list;
mod update;

pub use create::{NewPod, create, problems_of_new};
pub use delete::delete;
pub(crate) use get::find;
pub use get::get;
pub(crate) use get::holds_an_inbox_of;
pub(crate) use hold::hold;
pub use list::list;
pub use update::{PodChange, update};
