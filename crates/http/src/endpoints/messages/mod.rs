//! `/v0/inboxes/{inbox_id}/messages`

pub(crate) mod attachment;
pub(crate) mod batch_get;
pub(crate) mod batch_update;
pub(crate) mod cancel;
pub(crate) mod delete;
pub(crate) mod feedback;
pub(crate) mod forward;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod raw;
pub(crate) mod redact;
pub(crate) mod release;
pub(crate) mod reply;
pub(crate) mod reply_all;
pub(crate) mod requested;
pub(crate) mod rsvp;
pub(crate) mod search;
pub(crate) mod send;
pub(crate) mod update;
pub(crate) mod wait;
