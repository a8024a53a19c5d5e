//! Webhooks.

mod read;
mod rows;
mod write;
