//! Lookup of one list entry.

use super::name::{ListName, find};
use super::suppressed;
use crate::app::App;
use crate::model::ListEntry;
use crate::model::permissions::ListEntryRead;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::lists;
use crate::{Error, Resource};

/// Returns an entry of a list, also that of a suppressed address.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn get(
    app: &App,
    caller: &AuthorizedCaller<ListEntryRead>,
    name: ListName,
    text: &str,
) -> Result<ListEntry, Error> {
    let list = find(app, caller, name).await?;
    if let Some(suppressed) = suppressed::find(app, &list, text).await? {
        return Ok(suppressed);
    }
    let missing = || Error::not_found(Resource::ListEntry, text);
    let entry = lists::parse_entry(text).map_err(|_| missing())?;
    app.store.list_entry(&list, &entry).await?.ok_or_else(missing)
}
