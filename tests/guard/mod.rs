//! Guard tests over all operations of the OpenAPI document, which include every new route.

pub(crate) mod document;
mod foreign_tenant;
mod inbox_scope;
mod lists;
mod no_key;
pub(crate) mod other_inboxes;
mod permissions;
mod plans;
mod routes;
