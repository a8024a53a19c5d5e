//! Use cases of members of an organization.

pub(in crate::app) mod fields;
mod invitation;
mod invite;
mod join;
mod list;
mod remove;
mod update;

pub use invite::{NewMember, invite, problems_of_new};
pub(in crate::app) use join::join;
pub use list::{get, list};
pub use remove::remove;
pub use update::{MemberChange, problems_of_change, update};
