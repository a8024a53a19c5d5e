//! The WebSocket: events as they happen, over one connection.

pub(crate) mod connect;
mod messages;
mod session;
