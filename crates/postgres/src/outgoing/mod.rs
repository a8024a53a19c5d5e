//! Outgoing queue, and messages of the capture transport.

mod claim;
pub(crate) mod queue;
mod read;
mod rows;
