//! Receiving SMTP server.
//!
//! ```text
//! server.rs             listener, graceful shutdown
//! connection_limits.rs  limits on connections, replacement of idle sessions
//! session.rs            session with one client over any stream
//! wire.rs               command lines and replies, with limits and time-outs
//! command.rs            parser of commands
//! path.rs               path and parameters of MAIL and RCPT
//! ehlo.rs …             one file for each verb
//! dot_unstuffing.rs     end of DATA content and stuffed dots
//! content.rs            content in memory or in a spool file
//! spool.rs              spool file
//! budget.rs             bytes of all messages in transfer, shared among networks
//! storing.rs            memory for storing spooled messages
//! pace.rs               transfer rate of a message
//! store.rs              storing of a complete message
//! receipt_log.rs        log of received and refused messages
//! handler.rs            interface to the application
//! metrics.rs            counts and durations for operators
//! refusals.rs           refusals that recipients may see
//! state.rs              state of a session
//! reply.rs              table of all replies
//! ```

mod bdat;
mod budget;
mod command;
mod connection_limits;
mod content;
mod data;
mod dot_unstuffing;
mod ehlo;
mod handler;
mod mail;
mod metrics;
mod noop_help_vrfy;
mod options;
mod pace;
mod path;
mod rcpt;
mod receipt_log;
mod refusals;
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

pub use handler::MailHandler;
pub use metrics::SmtpMetrics;
pub use options::{ServerOptions, ServerTimeouts};
pub use server::{InboundListener, converse, serve};
