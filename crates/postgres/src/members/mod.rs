//! Members of organizations.

mod read;
pub(crate) mod rows;
mod write;
