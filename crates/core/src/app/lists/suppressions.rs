//! Listing suppressed addresses.

use super::place::{Place, require};
use crate::Error;
use crate::app::App;
use crate::model::{Caller, Page, PageRequest, Permission, Suppression};
use crate::ports::SuppressionQuery;

/// The addresses that no mail goes to, the newest first.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::PodOutOfScope`], [`Error::MissingPermission`].
pub async fn list(app: &App, caller: &Caller, page: PageRequest) -> Result<Page<Suppression>, Error> {
    require(caller, &Place::Organization, Permission::ListEntryRead)?;
    let organization_id = caller.organization.organization_id;
    Ok(app.store.list_suppressions(&SuppressionQuery { organization_id, page }).await?)
}
