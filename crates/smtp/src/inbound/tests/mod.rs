//! Sessions in memory. Only `server` uses sockets.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a failed step fails the test")]

mod chunking;
mod content;
mod limits;
mod pipelining;
mod property;
mod proxy;
mod refusals;
mod replies;
mod sequence;
mod server;
mod smuggling;
mod support;
mod tls;
mod verbs;
