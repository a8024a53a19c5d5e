//! `/v0/inboxes/{inbox_id}/threads/{thread_id}/notes`

pub(crate) mod create;
pub(crate) mod delete;
