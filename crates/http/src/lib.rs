//! The HTTP API of inboxd: actix-web over the use cases of [`inboxd_core::app`].
//!
//! ```text
//! routes.rs    every path and method, on one page; router.rs: from a path to its endpoint
//! endpoints/   one file an endpoint: request, OpenAPI, handler
//! views/       the JSON shapes of answers; webhook_body.rs: of what webhooks are told
//! body/        reading request bodies: every bad field is named at once
//! query.rs     reading query strings, the same way
//! error/       the one mapping from refusals to answers, and the error reference
//! auth.rs      who calls; admission.rs, limiter.rs: how many requests may run and come
//! sending.rs   sends that clients may repeat; sends.rs those without a key, line.rs whether a client is still there
//! parser_refusal.rs: the envelope for what is no request at all
//! live/        those who wait for events
//! middleware/  what every answer has: request id, envelope, headers, a line in the log
//! ```
//!
//! Handlers hold no rules: they read the request in the order of checks (key, scope, permission, validation), call a use
//! case and show its answer.

mod admission;
mod auth;
mod authorized;
mod body;
mod connection;
mod connection_limits;
mod endpoints;
mod error;
mod idempotent_send;
mod ignored;
mod limiter;
mod list_path;
mod live;
mod middleware;
mod openapi;
mod page_token;
mod parser_refusal;
mod path;
mod query;
mod query_docs;
mod retry_dedup;
mod router;
mod routes;
mod server;
mod state;
#[cfg(test)]
mod tests;
mod views;
mod webhook_body;

pub use live::{LiveFeed, LiveFeedHandle};
pub use openapi::openapi;
pub use server::serve;
pub use state::HttpOptions;
pub use webhook_body::EventBodies;
