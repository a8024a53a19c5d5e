//! Lookup of one draft.

use crate::app::{App, inboxes, scope};
use crate::model::permissions::DraftRead;
use crate::model::{Caller, Draft, DraftId, InboxId, Scope};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Returns a draft within the scope of the call.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::PodOutOfScope`] for the inbox.
pub async fn get(app: &App, caller: &AuthorizedCaller<DraftRead>, draft_id: DraftId) -> Result<Draft, Error> {
    scope::resolve(app, caller).await?;
    let draft = find(app, caller, draft_id).await?;
    if let Scope::Inbox(inbox_id) = caller.scope() {
        return of_inbox(draft, inbox_id);
    }
    // Without an inbox in the path, a draft beyond the caller's reach counts as missing.
    let is_in_reach = access::require_inbox(caller, &draft.item.inbox_id).is_ok();
    match inboxes::find(app, caller, &draft.item.inbox_id).await {
        Ok(_) if is_in_reach => Ok(draft),
        Ok(_) | Err(Error::PodOutOfScope | Error::NotFound { .. }) => Err(not_found(draft_id)),
        Err(error) => Err(error),
    }
}

/// Returns the draft for a use case that checks inbox and permission.
pub(super) async fn find(app: &App, caller: &Caller, draft_id: DraftId) -> Result<Draft, Error> {
    app.store.draft(caller.organization.organization_id, draft_id).await?.ok_or_else(|| not_found(draft_id))
}

/// Returns the draft if it belongs to the inbox.
pub(super) fn of_inbox(draft: Draft, inbox_id: &InboxId) -> Result<Draft, Error> {
    if draft.item.inbox_id == *inbox_id { Ok(draft) } else { Err(not_found(draft.item.draft_id)) }
}

pub(super) fn not_found(draft_id: DraftId) -> Error {
    Error::not_found(Resource::Draft, draft_id)
}
