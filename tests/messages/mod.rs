//! `/v0/inboxes/{inbox_id}/messages`: reading, labelling and deleting.

mod attachments;
mod batch_get;
mod batch_update;
mod delete;
mod get;
mod ids;
mod labels;
mod list;
mod paging;
mod raw;
mod search;
mod verdicts;
