//! `/v0/inboxes/{inbox_id}/threads`.

mod any_inbox;
mod assignee;
mod delete;
mod get;
mod labels;
mod list;
mod notes;
mod search;
