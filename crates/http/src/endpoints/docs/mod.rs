//! Documentation: OpenAPI document, a page that shows it, and error reference. All files are served from this host.

pub(crate) mod asset;
pub(crate) mod errors;
pub(crate) mod openapi;
pub(crate) mod page;
