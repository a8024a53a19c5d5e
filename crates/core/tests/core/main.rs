//! The rules by tables and properties, the use cases on mocks; laid out like the sources.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod app;
mod errors;
mod model;
mod rules;
