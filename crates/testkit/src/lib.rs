//! What the tests of the whole product stand on.

pub mod database;
