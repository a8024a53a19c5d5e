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
pub use revoke::{revoke, revoke_as_operator};
pub use update::{KeyChange, problems_of_change, update};
