//! `/v0/api-keys` and the keys of an inbox.

mod create;
mod expiry;
mod list;
mod permissions;
mod revoke;
mod scope;
mod update;
