//! History of label changes by callers.

mod list;
mod record;

pub use list::list;
pub(super) use record::{Relabelled, history_of, record};
