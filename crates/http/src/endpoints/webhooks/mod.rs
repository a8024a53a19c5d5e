//! `/v0/webhooks`: who is told of events.

pub(crate) mod attempts;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod headers;
pub(crate) mod list;
pub(crate) mod replay;
pub(crate) mod rotate_secret;
pub(crate) mod update;
pub(crate) mod update_headers;

use inboxd_core::FieldError;
use utoipa::openapi::schema::{Array, ArrayBuilder, ObjectBuilder, Type};

use crate::body::Strings;

/// Refuses ids that the path says already.
pub(in crate::endpoints) fn of_the_path<const N: usize>(
    what: &str,
    fields: [(&'static str, Option<Strings>); N],
) -> Vec<FieldError> {
    let named = fields.into_iter().filter(|(_, ids)| ids.as_ref().is_some_and(|ids| !ids.0.is_empty()));
    named.map(|(field, _)| FieldError::new(field, format!("the {what} comes from the path; leave it out"))).collect()
}

/// A list in which nothing can stand.
pub(in crate::endpoints) fn empty() -> Array {
    ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::String)).max_items(Some(0)).build()
}
