//! Unmetered rows, and request fields that nothing implements.

mod fields;
mod rows;
mod shown;
