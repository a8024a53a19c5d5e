//! What happened.

mod follow;
pub(crate) mod list;
