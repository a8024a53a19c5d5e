//! `…/accounts` of the organization, a pod or an inbox: always empty.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod update;
