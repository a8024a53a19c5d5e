//! Use cases of allow and block lists and of suppressed addresses.

mod create;
mod delete;
mod get;
mod list;
mod name;
mod suppressed;
mod suppressions;

pub use create::{NewEntry, create, problems_of_new};
pub use delete::delete;
pub use get::get;
pub use list::list;
pub use name::ListName;
pub use suppressions::list as list_suppressions;
