//! Maintenance of the search index. It affects the speed of searches, never their results.

mod index;
mod merge;

pub use index::{inboxes_to_index, index_some};
pub use merge::merge_some;
