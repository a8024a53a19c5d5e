//! The outgoing queue, and the mails that capture keeps instead of sending.

mod claim;
mod queue;
mod read;
mod rows;
