//! List of drafts.

use time::OffsetDateTime;

use crate::Error;
use crate::app::messages::lowered;
use crate::app::{App, scope};
use crate::model::permissions::DraftRead;
use crate::model::{DraftItem, Page, PageRequest, Scope};
use crate::ports::DraftQuery;
use crate::rules::authorization::AuthorizedCaller;

/// Filter of drafts; all conditions apply together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftFilter {
    /// The labels that a draft must have.
    pub labels: Vec<String>,
    /// The time before which the last change happened, exclusive.
    pub before: Option<OffsetDateTime>,
    /// The time after which the last change happened, exclusive.
    pub after: Option<OffsetDateTime>,
    /// The requested page.
    pub page: PageRequest,
}

/// Lists the drafts within the scope of the call, without their bodies.
///
/// # Errors
/// [`Error::NotFound`] for the pod or inbox; [`Error::PodOutOfScope`]; [`Error::InboxIdRequired`] for a member
/// limited to several inboxes, if the call names none.
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<DraftRead>,
    filter: DraftFilter,
) -> Result<Page<DraftItem>, Error> {
    let (pod_id, inbox_id) = match scope::narrowed(app, caller).await? {
        Scope::Organization => (None, None),
        Scope::Pod(pod_id) => (Some(pod_id), None),
        Scope::Inbox(inbox_id) => (None, Some(inbox_id)),
    };
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
