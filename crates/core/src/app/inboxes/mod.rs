//! Use cases of inboxes.

mod create;
mod delete;
mod expire;
mod find;
mod list;
mod update;

pub use create::{NewInbox, create, problems_of_new};
pub use delete::delete;
pub use expire::{ExpiryTurn, expire_messages};
pub use find::get;
pub(crate) use find::{approach, destination, find, hold};
pub use list::{list, search};
pub use update::{InboxChange, MetadataChange, problems_of_change, update};
