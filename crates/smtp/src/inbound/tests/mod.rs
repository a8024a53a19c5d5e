//! Sessions in memory, table by table; only `server` uses sockets.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test stops where something is not as it should be")]

mod certificate;
mod chunking;
mod content;
mod limits;
mod pipelining;
mod property;
mod replies;
mod sequence;
mod server;
mod smuggling;
mod support;
mod tls;
mod verbs;
