//! `…/lists/{direction}/{type}`: allow and block lists of the organization, a pod or an inbox.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
