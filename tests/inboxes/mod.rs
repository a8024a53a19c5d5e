//! `/v0/inboxes`.

mod create;
mod delete;
mod events;
mod list;
mod retention;
mod search;
mod update;
