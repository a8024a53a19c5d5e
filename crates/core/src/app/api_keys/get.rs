//! Reading one key.

use crate::app::{App, inboxes};
use crate::model::{ApiKey, ApiKeyId, Caller, InboxId, Permission, Reach};
use crate::rules::access;
use crate::{Error, Resource};

/// Reads a key within the caller's reach, or, below an inbox, one that reaches exactly this inbox.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::InboxOutOfScope`], [`Error::NotFound`].
pub async fn get(
    app: &App,
    caller: &Caller,
    of_inbox: Option<&InboxId>,
    api_key_id: ApiKeyId,
) -> Result<ApiKey, Error> {
    if let Some(inbox_id) = of_inbox {
        access::require_inbox(caller, inbox_id)?;
    }
    access::require(caller, Permission::ApiKeyRead)?;
    find(app, caller, of_inbox, api_key_id).await
}

/// The key, for a use case that has checked scope and permission. One beyond the caller's reach is not there.
pub(super) async fn find(
    app: &App,
    caller: &Caller,
    of_inbox: Option<&InboxId>,
    api_key_id: ApiKeyId,
) -> Result<ApiKey, Error> {
    if let Some(inbox_id) = of_inbox {
        inboxes::find(app, caller, inbox_id).await?;
    }
    let is_of = |reach: &Reach| match of_inbox {
        Some(wanted) => matches!(reach, Reach::Inbox { inbox_id, .. } if inbox_id == wanted),
        None => true,
    };
    app.store
        .api_key(caller.organization.organization_id, api_key_id)
        .await?
        .filter(|key| access::reaches(&caller.reach, &key.reach) && is_of(&key.reach))
        .ok_or_else(|| Error::not_found(Resource::ApiKey, api_key_id))
}
