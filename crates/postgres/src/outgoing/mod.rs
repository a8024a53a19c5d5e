//! The outgoing queue, and the mails that capture keeps instead of sending.

mod claim;
pub(crate) mod queue;
mod read;
mod rows;
