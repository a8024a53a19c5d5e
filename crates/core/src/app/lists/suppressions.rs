//! Listing suppressed addresses.

use crate::Error;
use crate::app::App;
use crate::model::permissions::ListEntryRead;
use crate::model::{Page, PageRequest, Suppression};
use crate::ports::SuppressionQuery;
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;

/// The addresses that no mail goes to, the newest first.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`].
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<ListEntryRead>,
    page: PageRequest,
) -> Result<Page<Suppression>, Error> {
    // All of them are shown, whichever scope the caller named.
    access::require_organization(caller)?;
    let organization_id = caller.organization.organization_id;
    Ok(app.store.list_suppressions(&SuppressionQuery { organization_id, page }).await?)
}
