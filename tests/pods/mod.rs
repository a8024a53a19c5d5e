//! `/v0/pods` and the collections below a pod.

mod create;
mod delete;
mod domains;
mod drafts;
mod inboxes;
mod keys;
mod limit;
mod read;
