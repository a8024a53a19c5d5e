//! `…/policy`: policies of sending of the organization, a pod, an inbox or an API key.

pub(crate) mod delete;
pub(crate) mod delete_of_key;
pub(crate) mod get;
pub(crate) mod get_of_key;
pub(crate) mod put;
pub(crate) mod put_of_key;
