//! Custom domains and the directory of proven ones.

mod conflicts;
mod keys;
mod read;
mod rows;
mod write;

pub(crate) use read::custom_homes;
pub(crate) use rows::SERVES_NAME;
