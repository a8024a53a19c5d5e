//! Drafts with their attachments and `client_id`s.

mod list;
mod read;
mod rows;
mod write;
