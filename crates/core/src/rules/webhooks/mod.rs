//! Webhooks (`wire.md`, section 6): what they listen to and what is sent along; how a delivery is signed, what of a large
//! event is left out, whose mail is seen, when it is tried again, and when a webhook is given up.

pub mod failing;
pub mod headers;
pub mod hearing;
pub mod schedule;
pub mod signature;
pub mod subscription;
pub mod truncation;
