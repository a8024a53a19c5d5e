//! SMTP server, SMTP clients, DNS and message authentication.
//!
//! ```text
//! authentication/  SPF, DKIM, DMARC and ARC of received messages
//! client/          common parts of the clients: session and mail transaction
//! direct/          delivery to the mail hosts of the recipients
//! dns/             DNS resolver
//! inbound/         receiving server: one file for each verb, one table of replies, sessions over any stream
//! relay/           delivery through a configured relay
//! signing/         DKIM keys and signatures
//! ```
//!
//! The server calls the use cases of `inboxd-core` through [`inbound::MailHandler`]. Both deliveries implement
//! [`inboxd_core::ports::Transport`].

pub mod authentication;
mod client;
pub mod direct;
pub mod dns;
pub mod inbound;
pub mod relay;
pub mod signing;

pub use client::{ClientTimeouts, parse_reply_text};
