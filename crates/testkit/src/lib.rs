//! Test support: databases, servers, clients and peers for the tests of the product.
//!
//! ```text
//! database.rs      a separate database for each test; session.rs: a separate SQL connection
//! postgres.rs      a PostgreSQL server of one test, which can be stopped and killed
//! standby.rs       a streaming standby of such a server
//! proxy.rs         a TCP proxy in front of a database, which can stop forwarding
//! server.rs        the built server as a process; options.rs: its configuration; log.rs: its output
//! client_tunnel.rs clients of chosen addresses, with TLS; reverse_proxy.rs: nginx, HAProxy or Caddy
//! http.rs          an HTTP client; api_response.rs: responses; head.rs: response heads of streams
//! socket.rs        a WebSocket client; event_stream.rs: a reader of Server-Sent Events
//! persona.rs       signed-up users of the API
//! smtp.rs          an SMTP client that sends single lines
//! mail.rs          a builder of test mail
//! relay/           an SMTP server for outgoing mail: its session and its replies
//! postfix.rs       a Postfix that receives mail
//! dns/             a DNS server with test-defined records; BIND with signed zones; a forger of responses
//! file_server.rs   an HTTP server of one file, for attachments by URL
//! receiver.rs      a webhook endpoint
//! prometheus.rs    a Prometheus of one test
//! rspamd.rs        an rspamd of one test
//! seaweed.rs       object stores of one test; venv.rs: Python packages of tests
//! pebble.rs        an ACME server; renewal_server.rs: with renewal windows; tls_tunnel.rs: TLS for clients without it
//! redact.rs        stable JSON for snapshots
//! wait.rs          polling for conditions that become true soon
//! ```

#![expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test that cannot continue panics")]

pub mod database;
pub mod venv;

mod api_response;
mod client_tunnel;
mod dns;
mod event_stream;
mod file_server;
mod head;
mod http;
mod log;
mod mail;
mod options;
mod pebble;
mod persona;
mod postfix;
mod postgres;
mod prometheus;
mod proxy;
mod receiver;
mod redact;
mod relay;
mod renewal_server;
mod reverse_proxy;
mod rspamd;
mod seaweed;
mod server;
mod session;
mod smtp;
mod socket;
mod standby;
mod tls_tunnel;
mod wait;

pub use api_response::ApiResponse;
pub use client_tunnel::{ClientTunnel, HostCertificate};
pub use database::{TestDatabase, database, empty_database};
pub use dns::{DnsServer, ForgingDns, SignedDns};
pub use event_stream::{EventStream, ServerSentEvent};
pub use file_server::FileServer;
pub use http::{HttpClient, HttpRequest, encoded};
pub use log::ServerLog;
pub use mail::MailBuilder;
pub use options::ServerOptions;
pub use pebble::Pebble;
pub use persona::Persona;
pub use postfix::Postfix;
pub use postgres::{PostgresServer, signal_server};
pub use prometheus::Prometheus;
pub use proxy::TcpProxy;
pub use receiver::{Reaction, ReceivedRequest, WebhookReceiver};
pub use redact::redacted;
pub use relay::{ConfirmedMail, RelayServer, RelayedMail};
pub use renewal_server::{RenewalServer, RenewalWindow};
pub use reverse_proxy::ReverseProxy;
pub use rspamd::Rspamd;
pub use seaweed::{Seaweed, SeaweedCluster};
pub use server::TestServer;
pub use session::SqlSession;
pub use smtp::{SmtpClient, SmtpReply};
pub use socket::{ServerFrame, WebSocketClient};
pub use standby::StandbyServer;
pub use tls_tunnel::{TlsClient, TlsTunnel};
pub use wait::{WAIT_TIMEOUT, eventually, eventually_ok, eventually_within};
