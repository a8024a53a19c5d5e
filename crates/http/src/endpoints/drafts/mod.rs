//! `…/drafts` of the organization, a pod or an inbox.

pub(crate) mod approve;
pub(crate) mod attachment;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod reject;
pub(crate) mod send;
pub(crate) mod update;
