//! `…/contacts`: correspondents of an inbox.

pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod update;

use crate::auth::AuthenticatedRequest;
use crate::path;

/// The address of the path.
fn address_of(call: &AuthenticatedRequest) -> String {
    path::value(call.request(), "address")
}
