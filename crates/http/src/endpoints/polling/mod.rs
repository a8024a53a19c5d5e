//! `…/webhooks/polling` of the organization, a pod or an inbox.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod events;
pub(crate) mod get;
pub(crate) mod list;
