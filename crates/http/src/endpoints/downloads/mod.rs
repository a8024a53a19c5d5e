//! `/v0/downloads`: signed links that need no key, and binary responses of all endpoints.

pub(crate) mod binary;
pub(crate) mod get;
pub(crate) mod ranged;
mod ranges;
