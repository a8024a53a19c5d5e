//! Use cases of threads.

mod attachment;
mod delete;
mod get;
mod inbox;
mod list;
mod removal;
mod search;
mod unread;
mod update;
mod visible;
mod walk;

pub mod notes;

pub use attachment::{attachment, attachment_text, find_attachment};
pub use delete::delete;
pub use get::{ThreadPage, get};
pub use inbox::inbox_of;
pub use list::{AssigneeChoice, ThreadFilter, list};
pub(super) use removal::remove;
pub use search::search;
pub use unread::{MAX_UNREAD_COUNT, unread};
pub use update::{Assignment, ThreadChange, update};
pub(super) use visible::leave_out_hidden;
pub(super) use walk::summed_up;
