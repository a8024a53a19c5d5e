//! Connections of OAuth clients.

mod read;
pub(crate) mod rows;
mod write;

pub(crate) use write::revoke_of_member;
