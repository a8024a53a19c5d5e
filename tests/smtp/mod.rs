//! Receiving mail.

mod limits;
mod loops;
mod recipients;
mod repeats;
mod session;
mod strange;
mod tls;
mod visible;
