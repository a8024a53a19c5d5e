//! Commands of the API, read from its OpenAPI document.
//!
//! An operation that exists for the organization, a pod and an inbox is one command: `--pod` and `--inbox` select it.

mod catalog;
mod field;
mod naming;
mod operation;
mod schema;

pub(crate) use catalog::{ApiCommand, Catalog, CommandScope};
pub(crate) use field::{ApiField, FieldPlace};
pub(crate) use operation::ApiOperation;
#[cfg(test)]
pub(crate) use schema::ValueForm;
pub(crate) use schema::ValueKind;
