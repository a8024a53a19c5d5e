//! The record of what happened.

mod append;
mod list;
mod mail;

pub(crate) use list::{EVENT, EventRow};
pub(crate) use mail::{Readable, mail_of};
