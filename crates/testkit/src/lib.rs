//! Test support: databases, servers, clients and peers for the tests of the product.
//!
//! ```text
//! database.rs      a separate database for each test; session.rs: a separate SQL connection
//! postgres.rs      a PostgreSQL server of one test, which can be stopped and killed
//! proxy.rs         a TCP proxy in front of a database, which can stop forwarding
//! server.rs        the built server as a process; options.rs: its configuration; log.rs: its output
//! http.rs          an HTTP client; api_response.rs: responses; head.rs: response heads of streams
//! socket.rs        a WebSocket client; event_stream.rs: a reader of Server-Sent Events
//! persona.rs       signed-up users of the API
//! smtp.rs          an SMTP client that sends single lines
//! mail.rs          a builder of test mail
//! relay/           an SMTP server for outgoing mail: its session and its replies
//! postfix.rs       a Postfix that receives mail
//! dns/             a DNS server with test-defined records
//! file_server.rs   an HTTP server of one file, for attachments by URL
//! receiver.rs      a webhook endpoint
//! rspamd.rs        an rspamd of one test
//! redact.rs        stable JSON for snapshots
//! wait.rs          polling for conditions that become true soon
//! ```

#![expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test that cannot continue panics")]

pub mod database;

mod api_response;
mod dns;
mod event_stream;
mod file_server;
mod head;
mod http;
mod log;
mod mail;
mod options;
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
mod wait;

pub use api_response::ApiResponse;
pub use database::{TestDatabase, database};
pub use dns::DnsServer;
pub use event_stream::{EventStream, ServerSentEvent};
pub use file_server::FileServer;
pub use http::{HttpClient, HttpRequest, encoded};
pub use log::ServerLog;
pub use mail::MailBuilder;
pub use options::ServerOptions;
pub use persona::Persona;
pub use postfix::Postfix;
pub use postgres::{PostgresServer, signal_server};
pub use proxy::TcpProxy;
pub use receiver::{Reaction, ReceivedRequest, WebhookReceiver};
pub use redact::redacted;
pub use relay::{ConfirmedMail, RelayServer, RelayedMail};
pub use rspamd::Rspamd;
pub use server::TestServer;
pub use session::SqlSession;
pub use smtp::{SmtpClient, SmtpReply};
pub use socket::{ServerFrame, WebSocketClient};
pub use wait::{WAIT_TIMEOUT, eventually, eventually_ok};
