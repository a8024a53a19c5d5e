//! WebSocket endpoint: live events over one connection.

pub(crate) mod connect;
mod messages;
mod session;
