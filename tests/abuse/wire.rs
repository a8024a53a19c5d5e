//! Unmetered rows, and unsupported request fields.

mod fields;
mod rows;
mod visibility;
