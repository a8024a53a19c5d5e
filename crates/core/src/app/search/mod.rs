//! Keeping searches fast. What they find does not depend on it.

mod index;
mod merge;

pub use index::{inboxes_to_index, index_some};
pub use merge::merge_some;
