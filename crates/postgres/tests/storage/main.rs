//! The storage ports on a real database, a fresh one for each test.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod accounts;
mod api_keys;
mod arrivals;
mod billing;
mod budgets;
mod client_ids;
mod deletion;
mod deliveries;
mod dkim_keys;
mod domains;
mod drafts;
mod events;
mod feed;
mod inboxes;
mod label_history;
mod large_bodies;
mod lists;
mod long_threads;
mod members;
mod message_lists;
mod messages;
mod metrics;
mod migrations;
mod notes;
mod outgoing;
mod outgoing_destinations;
mod partitions;
mod pods;
mod receiving;
mod replays;
mod return_paths;
mod schema;
mod search;
mod search_history;
mod send_keys;
mod sign_ins;
mod store;
mod support;
mod thread_lists;
mod threads;
mod usage;
mod versions;
mod walks;
mod webhooks;
