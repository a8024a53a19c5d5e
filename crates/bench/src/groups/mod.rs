//! What is measured, a group a file.

pub(crate) mod reading;
pub(crate) mod receiving;
