//! API keys: made, listed, read, changed, revoked.

mod create;
mod get;
mod list;
mod revoke;
mod update;

pub use create::{NewKey, create};
pub use get::get;
pub use list::list;
pub use revoke::revoke;
pub use update::{KeyChange, update};
