//! What the tests of the whole product stand on.
//!
//! ```text
//! database.rs    a fresh database for every test; session.rs: SQL on a connection of one's own
//! postgres.rs    a PostgreSQL server of one test, which may be stopped and killed
//! proxy.rs       a TCP proxy before a database, which can fall silent
//! server.rs      the built binary, running; options.rs: what it is started with; log.rs: what it writes
//! http.rs        a client that sends requests as they are; answer.rs: what comes back; head.rs: what a stream begins with
//! socket.rs      a WebSocket client, well-behaved or not; event_stream.rs: a reader of Server-Sent Events
//! postfix.rs     a Postfix that receives mail
//! persona.rs     somebody who has signed up, with a key
//! smtp.rs        a client that speaks SMTP line by line
//! relay.rs       a server that takes the mail which leaves; relay/: its conversation and its answers
//! mail.rs        mails, written by hand
//! dns.rs         a DNS server with records of the test's making
//! web.rs         a server of one file, for attachments by URL
//! receiver.rs   a server that webhooks are sent to
//! rspamd.rs     a spam filter of one test
//! redact.rs      JSON without what differs from run to run
//! patience.rs    waiting for what happens soon
//! ```

#![expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test that cannot go on panics")]

pub mod database;

mod answer;
mod dns;
mod event_stream;
mod head;
mod http;
mod log;
mod mail;
mod options;
mod patience;
mod persona;
mod postfix;
mod postgres;
mod proxy;
mod receiver;
mod redact;
mod relay;
mod rspamd;
mod server;
mod session;
mod smtp;
mod socket;
mod web;

pub use answer::Answer;
pub use database::{TestDatabase, database};
pub use dns::Dns;
pub use event_stream::{EventStream, Sent};
pub use http::{Http, Request, encoded};
pub use log::Log;
pub use mail::Mail;
pub use options::ServerOptions;
pub use patience::{PATIENCE, eventually, eventually_ok};
pub use persona::Persona;
pub use postfix::Postfix;
pub use postgres::{Postgres, signal_server};
pub use proxy::Proxy;
pub use receiver::{Reaction, Receiver, Told};
pub use redact::redacted;
pub use relay::{Confirmed, Relay, RelayedMail};
pub use rspamd::Rspamd;
pub use server::Server;
pub use session::Session;
pub use smtp::{Reply, SmtpClient};
pub use socket::{Heard, Socket};
pub use web::Web;
