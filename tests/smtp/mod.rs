//! Inbound SMTP.

mod limits;
mod loops;
mod malformed;
mod recipients;
mod retransmissions;
mod session;
mod tls;
mod visible;
