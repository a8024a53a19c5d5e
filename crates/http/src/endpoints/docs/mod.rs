//! The documentation: the OpenAPI document, a page that shows it, and the error reference. Nothing comes from elsewhere.

pub(crate) mod asset;
pub(crate) mod errors;
pub(crate) mod openapi;
pub(crate) mod page;
