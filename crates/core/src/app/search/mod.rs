//! Maintenance of the search index, which affects the speed of searches, and the addition of the texts of attachments.

mod attachments;
mod index;
mod merge;

pub use attachments::{AttachmentReading, organization_to_read, read_attachments};
pub use index::{inboxes_to_index, index_some};
pub use merge::merge_some;
