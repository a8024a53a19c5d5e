//! Webhook rules (`wire.md`, section 6): subscription, signature, payload and retries.

pub mod failing;
pub mod headers;
pub mod hearing;
pub mod schedule;
pub mod signature;
pub mod subscription;
pub mod truncation;
