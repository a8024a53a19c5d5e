#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a failed step fails the test")]

mod guard;
mod media_type;
mod reading;
mod refusing;
mod scanner;
mod sending;
mod server;
mod target_url;
mod tls;
mod url_policy;
