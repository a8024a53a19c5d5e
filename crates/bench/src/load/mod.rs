//! What is put on a server.
//!
//! ```text
//! mails.rs      signed mails, made before the clock starts
//! smtp.rs       a session that does nothing but send
//! sessions.rs   many sessions at once
//! http.rs       a connection of the API; socket.rs: a WebSocket that listens
//! ```

pub(crate) mod http;
pub(crate) mod mails;
pub(crate) mod sessions;
pub(crate) mod smtp;
pub(crate) mod socket;
