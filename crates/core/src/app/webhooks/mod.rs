//! Webhooks: telling them of events. A worker claims what is due, prepares it, attempts it and records what came of it.

mod attempt;
mod claim;
mod prepare;
mod record;
mod seals;

pub use attempt::{Outcome, attempt};
pub use claim::{LEASE, Room, claim};
pub use prepare::{Prepared, prepare};
pub use record::{GivenUp, purge, record};
