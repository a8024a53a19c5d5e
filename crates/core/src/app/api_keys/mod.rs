//! Use cases of API keys.

mod create;
mod get;
mod list;
mod revoke;
mod update;

pub use create::{MadeKey, NewKey, create, problems_of_new};
pub(in crate::app) use get::find;
pub use get::get;
pub use list::list;
pub use revoke::{is_own, revoke, revoke_as_operator, revoke_own};
pub use update::{KeyChange, problems_of_change, update};
