//! Connections of OAuth clients.

mod read;
mod rows;
mod write;

pub(crate) use rows::ConnectionRow;
pub(crate) use write::revoke_of_member;
