//! `…/domains` of the organization or a pod.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod setup_link;
pub(crate) mod update;
pub(crate) mod verify;
pub(crate) mod zone_file;
