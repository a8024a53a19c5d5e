//! The HTTP API of inboxd.
