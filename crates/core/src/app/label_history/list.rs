//! List of label changes.

use crate::Error;
use crate::app::{App, inboxes};
use crate::model::{Caller, InboxId, LabelEvent, Page, PageRequest, Permission};
use crate::ports::LabelEventQuery;
use crate::rules::access;

/// Lists the label changes of the messages of an inbox.
///
/// Changes of messages that the caller may not see are omitted.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`] for the inbox,
/// [`Error::PodOutOfScope`].
pub async fn list(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    page: PageRequest,
) -> Result<Page<LabelEvent>, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::EventRead)?;
    inboxes::find(app, caller, inbox_id).await?;
    let query = LabelEventQuery {
        organization_id: caller.organization.organization_id,
        inbox_id: inbox_id.clone(),
        readable: access::readable(caller),
        page,
    };
    Ok(app.store.list_label_events(&query).await?)
}
