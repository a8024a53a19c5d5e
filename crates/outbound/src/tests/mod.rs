#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test stops where something is not as it should be")]

mod cidr;
mod guard;
mod media_type;
mod reading;
mod refusing;
mod sending;
mod server;
mod target_url;
mod tls;
mod url_policy;
