//! API keys: made, listed, revoked.

mod create;
mod list;
mod revoke;

pub use create::{NewKey, create, problems_of_new};
pub use list::list;
pub use revoke::revoke;
