//! Processes die: nothing that was answered is lost, and nothing is done twice.
//!
//! `load` makes a server busy with everything that may be cut short, and `found` looks afterwards at what became of it.
//! `kills` and `outages` kill inboxd and its database meanwhile, at moments of chance; `exact` does so at chosen ones.

mod exact;
mod found;
mod kills;
mod load;
mod outages;
