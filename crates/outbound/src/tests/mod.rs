#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test stops where something is not as it should be")]

mod cidr;
mod destinations;
mod guard;
mod media_type;
mod reading;
mod refusing;
mod sending;
mod server;
mod target;
mod tls;
