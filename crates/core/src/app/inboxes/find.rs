//! Reading one inbox.

use crate::app::App;
use crate::model::{Caller, Inbox, InboxId, Permission};
use crate::rules::access;
use crate::{Error, Resource};

/// Reads an inbox.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn get(app: &App, caller: &Caller, inbox_id: &InboxId) -> Result<Inbox, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::InboxRead)?;
    find(app, caller, inbox_id).await
}

/// The inbox, for a use case that has checked the caller's permission.
pub(crate) async fn find(app: &App, caller: &Caller, inbox_id: &InboxId) -> Result<Inbox, Error> {
    let inbox = app
        .store
        .inbox(caller.organization.organization_id, inbox_id)
        .await?
        .ok_or_else(|| Error::not_found(Resource::Inbox, inbox_id))?;
    access::require_pod(caller, &inbox)?;
    Ok(inbox)
}
