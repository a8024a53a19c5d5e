//! `…/api-keys` of the organization, a pod or an inbox.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
mod key_type;
pub(crate) mod list;
pub(crate) mod update;

pub(crate) use key_type::{KeyType, KeyTypeParams};
