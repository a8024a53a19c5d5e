//! Outgoing queue, and messages of the capture transport.

mod attempts;
mod claim;
mod depth;
pub(crate) mod enqueue;
pub(crate) mod queue;
mod read;
mod rows;
