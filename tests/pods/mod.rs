//! Pods, and what lies below them.

mod create;
mod delete;
mod domains;
mod drafts;
mod inboxes;
mod keys;
mod limit;
mod read;
