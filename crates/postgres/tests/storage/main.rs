//! The storage ports on a real database, a fresh one for each test.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod accounts;
mod api_keys;
mod deletion;
mod domains;
mod events;
mod inboxes;
mod large_bodies;
mod long_threads;
mod members;
mod message_lists;
mod messages;
mod migrations;
mod outgoing;
mod schema;
mod sign_ins;
mod store;
mod support;
mod thread_lists;
mod threads;
mod usage;
mod walks;
