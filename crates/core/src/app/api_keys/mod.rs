//! API keys: made, listed, revoked.

mod create;
mod list;
mod revoke;

pub use create::{NewKey, create};
pub use list::list;
pub use revoke::revoke;
