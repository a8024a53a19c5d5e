//! The history of labels: recorded with every change that a caller makes, and read.

mod list;
mod record;

pub use list::list;
pub(super) use record::{Relabelled, history_of, record};
