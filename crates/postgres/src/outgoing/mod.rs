//! The outgoing queue, and the mails that capture keeps instead of sending.

mod queue;
mod read;
mod rows;
