//! The HTTP API of inboxd: actix-web over the use cases of [`inboxd_core::app`].
//!
//! ```text
//! routes.rs           table of all paths and methods; router.rs: endpoint of a path
//! endpoints/          one file an endpoint: request, OpenAPI, handler
//! views/              JSON shapes of responses; webhook_body.rs: body of a webhook request
//! body/               request bodies, with every bad field reported at once
//! query.rs            query strings, the same way
//! error/              mapping of refusals to responses, and the error reference
//! auth.rs             authentication; authorized.rs: scope and permission
//! admission.rs        limits of running requests; limiter.rs: of request rates
//! idempotent_send.rs  repeatable sends; retry_dedup.rs: those without a key; connection.rs: state of the client
//! clean.rs            removal of invisible characters from texts of strangers
//! parser_refusal.rs   error envelope of requests that the parser refuses
//! oauth/              authorization server: metadata, pages, tokens
//! pages/              HTML pages, browser session and form tokens
//! console/            pages for people: mail, settings, administration
//! live/               subscribers of events
//! mcp/                the MCP server: its tools call the same use cases
//! middleware/         request id, envelope, headers and log event of each response
//! ```
//!
//! Handlers hold no rules: they read the request in the order of checks (key, scope, permission, validation), call a use
//! case and show its result.

mod admission;
mod approvals;
mod auth;
mod authorized;
mod body;
mod clean;
mod connection;
mod connection_limits;
mod console;
mod endpoints;
mod error;
mod held;
mod idempotent_send;
mod ignored;
mod limiter;
mod list_path;
mod live;
mod mcp;
mod middleware;
mod oauth;
mod openapi;
mod page_token;
mod pages;
mod parser_refusal;
mod path;
mod path_ids;
mod query;
mod query_docs;
mod retry_dedup;
mod router;
mod routes;
mod search_text;
mod server;
mod state;
#[cfg(test)]
mod tests;
mod views;
mod webhook_body;

pub use live::{LiveFeed, LiveFeedHandle};
pub use openapi::openapi;
pub use routes::console_routes;
pub use server::serve;
pub use state::HttpOptions;
pub use views::trace_entry;
pub use webhook_body::EventBodies;
