//! The storage ports of inboxd on PostgreSQL, and the embedded server.

pub mod embedded;
