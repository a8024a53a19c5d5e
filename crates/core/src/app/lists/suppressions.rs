//! List of suppressed addresses.

use crate::Error;
use crate::app::App;
use crate::model::permissions::ListEntryRead;
use crate::model::{Page, PageRequest, Suppression};
use crate::ports::SuppressionQuery;
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;

/// Lists the addresses that receive no mail, the newest first.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`].
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<ListEntryRead>,
    page: PageRequest,
) -> Result<Page<Suppression>, Error> {
    // The list covers the whole organization, regardless of the requested scope.
    access::require_organization(caller)?;
    let organization_id = caller.organization.organization_id;
    Ok(app.store.list_suppressions(&SuppressionQuery { organization_id, page }).await?)
}
