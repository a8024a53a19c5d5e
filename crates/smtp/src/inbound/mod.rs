//! The receiving server.
//!
//! ```text
//! server.rs       listener, graceful stop
//! connections.rs  caps on connections, and which of them gives way
//! session.rs      one conversation, over any stream
//! wire.rs         lines in, replies out, with their limits and time-outs
//! command.rs      a line becomes a command
//! ehlo.rs …       one file a verb
//! certificate.rs  what TLS is spoken with
//! dots.rs         where the content of DATA ends (and where it does not)
//! content.rs      the content as it grows, in memory or in a spool file
//! budget.rs       bytes of all messages on their way, shared among networks
//! pace.rs         how fast a message has to come
//! store.rs        the finished mail goes to the application
//! reply.rs        every reply there is
//! ```

mod bdat;
mod budget;
mod certificate;
mod command;
mod connections;
mod content;
mod data;
mod dots;
mod ehlo;
mod information;
mod mail;
mod mailroom;
mod options;
mod pace;
mod path;
mod rcpt;
mod reply;
mod rset;
mod server;
mod session;
mod spool;
mod starttls;
mod state;
mod store;
mod storing;
#[cfg(test)]
mod tests;
mod wire;

pub use certificate::{Certificate, CertificateError};
pub use mailroom::{IncomingMail, Mailroom, ReceiveAnswer, RecipientAnswer, Refusal};
pub use options::{ServerOptions, Timeouts};
pub use server::{Listener, converse, serve};
