//! Connections of a caller: list, change and revocation.

mod find;
mod list;
mod revoke;
mod update;

pub use find::get_connection;
pub use list::list_connections;
pub use revoke::revoke_connection;
pub use update::{ConnectionChange, problems_of_change, update_connection};
