//! `/v0/members`: the people of an organization, their roles and inboxes.

mod attribution;
mod inboxes;
mod invite;
mod limit;
mod list;
mod narrowed;
mod operations;
mod remove;
mod roles;
mod update;
