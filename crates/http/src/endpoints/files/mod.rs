//! `…/files` of an inbox, and the uploads of their contents.

pub(crate) mod complete;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod upload;

use inboxd_core::app::downloads::Link;
use inboxd_core::app::files;
use inboxd_core::model::{InboxFile, Permission};
use inboxd_core::rules::access;

use crate::auth::AuthenticatedRequest;
use crate::error::ApiError;

/// Returns the download link of a ready file for a caller that may read files.
fn download_link(call: &AuthenticatedRequest, file: &InboxFile) -> Result<Option<Link>, ApiError> {
    if !access::holds(&call.caller, Permission::FileRead) {
        return Ok(None);
    }
    Ok(files::link(call.app(), file)?)
}
