//! Receiving and delivering mail over SMTP (RFC 5321).
//!
//! ```text
//! authentication/  who vouches for a mail: SPF, DKIM, DMARC, ARC
//! client/          what every client has in common: a session, and one mail over it
//! direct/          the client that finds the servers of the recipients and hands them their mail
//! dns/             asking a resolver for the records of domains
//! inbound/         the receiving server: one file a verb, one table of replies, a session that knows no socket
//! relay/           the client that hands outgoing mail to a configured relay
//! signing/         the keys of signatures
//! ```
//!
//! The server speaks to the application through [`inbound::Mailroom`]; the relay is an
//! [`inboxd_core::ports::Transport`], and so is direct delivery.

pub mod authentication;
mod client;
pub mod direct;
pub mod dns;
pub mod inbound;
pub mod relay;
pub mod signing;

pub use client::{Timeouts, words_of_reply};
