//! Webhook rules (`wire.md`, section 6): subscription, signature, payload and retries.

pub mod auto_disable;
pub mod headers;
pub mod payload_visibility;
pub mod schedule;
pub mod signature;
pub mod subscription;
pub mod truncation;
