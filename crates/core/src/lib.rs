//! The rules of inboxd: model, rules, ports and use cases, with no I/O of its own.
//!
//! ```text
//! model/  entities and values: what there is
//! rules/  pure functions over them: what is allowed, and what follows
//! ports/  traits that storage, clock, randomness and delivery implement
//! app/    use cases, one verb a file: load, decide, store, commit
//! ```
//!
//! Nothing in here knows a database, a socket, a clock or a source of randomness: all of them come through [`ports`].

pub mod app;
mod error;
pub mod model;
pub mod ports;
pub mod rules;
#[cfg(feature = "testing")]
pub mod testing;

pub use error::{Error, FieldError, LimitReached, Resource};
