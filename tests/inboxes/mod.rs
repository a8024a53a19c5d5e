//! `/v0/inboxes`.

mod create;
mod delete;
mod list;
mod update;
