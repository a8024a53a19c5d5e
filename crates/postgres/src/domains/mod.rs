//! Custom domains and the directory of proven ones.

mod keys;
mod read;
mod rows;
mod standing;
mod write;

pub(crate) use rows::SERVES_NAME;
