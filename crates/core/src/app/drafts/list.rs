//! Listing drafts.

use time::OffsetDateTime;

use crate::Error;
use crate::app::messages::lowered;
use crate::app::{App, inboxes};
use crate::model::{Caller, DraftItem, InboxId, Page, PageRequest, Permission};
use crate::ports::DraftQuery;
use crate::rules::access;

/// Which drafts the caller asks for; every condition that is named must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftFilter {
    /// Labels that they carry.
    pub labels: Vec<String>,
    /// Last changed strictly before this.
    pub before: Option<OffsetDateTime>,
    /// Last changed strictly after this.
    pub after: Option<OffsetDateTime>,
    /// Which page.
    pub page: PageRequest,
}

/// Lists the drafts of an inbox, or all that the caller reaches, without their bodies.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`] for the inbox; [`Error::InboxIdRequired`]
/// for a member limited to several inboxes who named none.
pub async fn list(
    app: &App,
    caller: &Caller,
    inbox_id: Option<&InboxId>,
    filter: DraftFilter,
) -> Result<Page<DraftItem>, Error> {
    if let Some(inbox_id) = inbox_id {
        access::require_inbox(caller, inbox_id)?;
    }
    access::require(caller, Permission::DraftRead)?;
    if let Some(inbox_id) = inbox_id {
        inboxes::find(app, caller, inbox_id).await?;
    }
    let (pod_id, inbox_id) = access::listed(caller, inbox_id.cloned())?;
    let query = DraftQuery {
        organization_id: caller.organization.organization_id,
        pod_id,
        inbox_id,
        labels: lowered(filter.labels),
        before: filter.before,
        after: filter.after,
        page: filter.page,
    };
    Ok(app.store.list_drafts(&query).await?)
}
