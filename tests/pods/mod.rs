//! Pods, and what lies below them.

mod create;
mod delete;
mod inboxes;
mod keys;
mod limit;
mod read;
