//! Delivering events to webhooks: how a delivery is signed, what of a large event is left out, whose mail is seen, when it is
//! tried again, and when a webhook is given up (`wire.md`, section 6).

pub mod failing;
pub mod hearing;
pub mod schedule;
pub mod signature;
pub mod truncation;
