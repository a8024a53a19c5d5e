//! Crash tests: no confirmed work is lost and none is repeated.
//!
//! `load` creates concurrent work and `found` checks it afterwards. `kills` and `outages` kill inboxd and its database
//! at random moments, `exact` at chosen ones.

mod checks;
mod chosen_moments;
mod kills;
pub(crate) mod load;
mod outages;
