//! `…/inboxes` of the organization or a pod.

pub(crate) mod authorize;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod search;
pub(crate) mod update;
