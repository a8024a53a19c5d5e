//! `/v0/agent`, `/v0/auth` and `/v0/organizations`.

pub(crate) mod attach_human;
pub(crate) mod join_labs;
pub(crate) mod labs;
pub(crate) mod me;
pub(crate) mod organization;
pub(crate) mod sign_in;
pub(crate) mod sign_in_verify;
pub(crate) mod sign_up;
pub(crate) mod switch;
pub(crate) mod update_organization;
pub(crate) mod verify;
