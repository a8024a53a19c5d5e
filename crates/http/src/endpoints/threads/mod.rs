//! `…/threads` of an inbox, a pod or the organization.

pub(crate) mod attachment;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod search;
pub(crate) mod update;
