//! The protocol of `POST /mcp`: revisions, headers, credentials, resources, subscriptions and the program on the standard
//! streams. `mcp_tools` has the tools.

pub(crate) mod client;
mod credentials;
mod headers;
mod lifecycle;
mod resources;
mod revisions;
mod stdio;
mod subscriptions;
