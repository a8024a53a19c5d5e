//! Custom domains, and the directory of those that are proven to be somebody's.

mod keys;
mod read;
mod rows;
mod standing;
mod write;

pub(crate) use rows::SERVES_NAME;
