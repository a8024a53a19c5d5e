//! List and search of inboxes.

use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::InboxRead;
use crate::model::{Inbox, Page, PageRequest, Reach};
use crate::ports::{InboxQuery, InboxSearch};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::inbox_search::InboxTerms;

/// Lists the inboxes within the caller's reach.
///
/// # Errors
/// [`Error::MissingPermission`].
pub async fn list(app: &App, caller: &AuthorizedCaller<InboxRead>, page: PageRequest) -> Result<Page<Inbox>, Error> {
    Ok(app.store.list_inboxes(&query(app, caller, page).await?).await?)
}

/// Searches the inboxes within the caller's reach.
///
/// # Errors
/// [`Error::Invalid`] for an unusable text, [`Error::NotFound`].
pub async fn search(
    app: &App,
    caller: &AuthorizedCaller<InboxRead>,
    text: &str,
    page: PageRequest,
) -> Result<Page<Inbox>, Error> {
    let terms = InboxTerms::parse(text).map_err(|problem| Error::invalid("q", problem))?;
    let within = query(app, caller, page).await?;
    Ok(app.store.search_inboxes(&InboxSearch { within, terms }).await?)
}

async fn query(app: &App, caller: &AuthorizedCaller<InboxRead>, page: PageRequest) -> Result<InboxQuery, Error> {
    let (pod_id, inbox_id, among) = match scope::resolve(app, caller).await? {
        Reach::Organization => (None, None, None),
        Reach::Pod(pod_id) => (Some(pod_id), None, None),
        Reach::Inbox { inbox_id, .. } => (None, Some(inbox_id), None),
        Reach::Inboxes(theirs) => (None, None, Some(theirs)),
    };
    let organization_id = caller.organization.organization_id;
    Ok(InboxQuery { organization_id, pod_id, inbox_id, among, page })
}
