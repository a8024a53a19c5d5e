//! Tests of rules with tables and properties, and of use cases with mocks, laid out like the sources.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod app;
mod errors;
mod model;
mod rules;
