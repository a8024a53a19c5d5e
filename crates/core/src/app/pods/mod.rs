//! Pods: groups of inboxes.

mod create;
mod delete;
mod enter;
mod get;
mod list;
mod update;

pub use create::{NewPod, create, problems_of_new};
pub use delete::delete;
pub(crate) use enter::hold;
pub use enter::{enter, enter_inbox};
pub(crate) use get::find;
pub use get::get;
pub(crate) use get::holds_an_inbox_of;
pub use list::list;
pub use update::update;
