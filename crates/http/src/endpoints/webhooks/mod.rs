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
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};

use crate::body::Strings;

/// Refuses ids that the path says already.
pub(in crate::endpoints) fn of_the_path<const N: usize>(
    what: &str,
    fields: [(&'static str, Option<Strings>); N],
) -> Vec<FieldError> {
    let named = fields.into_iter().filter(|(_, ids)| ids.as_ref().is_some_and(|ids| !ids.0.is_empty()));
    named.map(|(field, _)| FieldError::new(field, format!("the {what} comes from the path; leave it out"))).collect()
}

/// A field that may be null, or a list in which nothing stands.
pub(in crate::endpoints) fn empty() -> Schema {
    let nothing = ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::String)).max_items(Some(0));
    OneOfBuilder::new().item(ObjectBuilder::new().schema_type(Type::Null)).item(nothing).into()
}
