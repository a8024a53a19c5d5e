//! Receiving and delivering mail over SMTP (RFC 5321).
//!
//! ```text
//! inbound/  the receiving server: one file a verb, one table of replies, a session that knows no socket
//! relay/    the client that hands outgoing mail to a configured relay
//! ```
//!
//! The server speaks to the application through [`inbound::Mailroom`]; the relay is an
//! [`inboxd_core::ports::Transport`].

pub mod inbound;
pub mod relay;
