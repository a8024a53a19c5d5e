//! Drafts, their attachments, and the `client_id`s that made them.

mod list;
mod read;
mod rows;
mod write;
