//! `/v0/downloads`: signed links that need no key, and how octets are answered wherever they are.

pub(crate) mod binary;
pub(crate) mod get;
