//! List of drafts.

use std::collections::HashMap;

use time::OffsetDateTime;

use crate::Error;
use crate::app::messages::lowered;
use crate::app::{App, scope};
use crate::model::permissions::DraftRead;
use crate::model::{DraftId, DraftItem, Page, PageRequest, Scope};
use crate::ports::{DraftQuery, DraftState, DraftText};
use crate::rules::authorization::AuthorizedCaller;

/// Filter of drafts; all conditions apply together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftFilter {
    /// The labels that a draft must have.
    pub labels: Vec<String>,
    /// The state of a draft.
    pub state: Option<DraftState>,
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
        state: filter.state,
        before: filter.before,
        after: filter.after,
        page: filter.page,
    };
    Ok(app.store.list_drafts(&query).await?)
}

/// Returns the texts of listed drafts that have no HTML and at most `max_bytes` of text. A draft that was changed since it
/// was listed has none.
///
/// # Errors
/// When storage fails.
pub async fn short_texts(
    app: &App,
    caller: &AuthorizedCaller<DraftRead>,
    listed: &[DraftItem],
    max_bytes: u32,
) -> Result<HashMap<DraftId, String>, Error> {
    let revisions: HashMap<_, _> = listed.iter().map(|item| (item.draft_id, item.dispatch.revision)).collect();
    if revisions.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<DraftId> = revisions.keys().copied().collect();
    let found = app.store.short_draft_texts(caller.organization.organization_id, &ids, max_bytes).await?;
    let is_listed = |draft: &DraftText| revisions.get(&draft.draft_id) == Some(&draft.revision);
    Ok(found.into_iter().filter(is_listed).map(|draft| (draft.draft_id, draft.text)).collect())
}
