//! The HTTP API of inboxd: actix-web over the use cases of [`inboxd_core::app`].
//!
//! ```text
//! routes.rs           table of all paths and methods; router.rs: endpoint of a path
//! endpoints/          one file an endpoint: request, OpenAPI, handler
//! views/              JSON shapes of responses; webhook_body.rs: body of a webhook request
//! body/               request bodies, with every bad field reported at once
//! query.rs            query strings, the same way
//! error/              mapping of refusals to responses, and the error reference
//! accept.rs           connections of clients and proxies; client_address.rs: client of a request
//! auth.rs             authentication; authorized.rs: scope and permission
//! admission.rs        limits of running requests; limiter.rs: of request rates
//! idempotent_send.rs  repeatable sends; retry_dedup.rs: those without a key; connection.rs: state of the client
//! standby.rs          reads from a standby for requests that accept stale data
//! clean.rs            removal of invisible characters from texts of strangers
//! accept.rs           limits of a new connection, then TLS (tls.rs); http2.rs: limits of HTTP/2
//! redirect.rs         redirects of plain HTTP, and ACME challenges
//! parser_refusal.rs   error envelope of requests that the parser refuses
//! oauth/              authorization server: metadata, pages, tokens
//! pages/              HTML pages, browser session and form tokens
//! console/            pages for people: mail, settings, administration
//! live/               subscribers of events
//! mcp/                the MCP server: its tools call the same use cases
//! middleware/         request id, envelope, headers and log event of each response
//! metrics.rs          counts and durations for operators; trace_context.rs: traces of clients
//! ```
//!
//! Handlers hold no rules: they read the request in the order of checks (key, scope, permission, validation), call a use
//! case and show its result.

mod accept;
mod admission;
mod approvals;
mod auth;
mod authorized;
mod body;
mod clean;
mod client_address;
mod client_stream;
mod connection;
mod connection_limits;
mod console;
mod endpoints;
mod error;
mod held;
mod http2;
mod idempotent_send;
mod ignored;
mod limiter;
mod list_path;
mod live;
mod mcp;
mod metrics;
mod middleware;
mod mta_sts;
mod oauth;
mod openapi;
mod page_token;
mod pages;
mod parser_refusal;
mod path;
mod path_ids;
mod query;
mod read_pace;
mod redirect;
mod retry_dedup;
mod router;
mod routes;
mod search_text;
mod server;
mod standby;
mod state;
#[cfg(test)]
mod tests;
mod tls;
mod trace_context;
mod unread_responses;
mod views;
mod webhook_body;

pub use limiter::RequestRates;
pub use live::{LiveFeed, LiveFeedHandle};
pub use metrics::{FeedMetrics, HttpMetrics};
pub use mta_sts::MtaStsPolicy;
pub use openapi::openapi;
pub use routes::console_routes;
pub use server::{HttpListener, ListenerKind, serve};
pub use state::HttpOptions;
pub use tls::{ChallengeResponses, TlsOptions};
pub use views::trace_entry;
pub use webhook_body::EventBodies;
