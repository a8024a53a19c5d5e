//! Tests that walk the whole API by its own document, so that a new route is guarded the day it is written.

pub(crate) mod document;
mod foreign_tenant;
mod inbox_scope;
mod lists;
mod no_key;
mod other_inboxes;
mod permissions;
mod plans;
mod routes;
