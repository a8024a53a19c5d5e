//! Reading an entry.

use super::place::{ListName, find, require};
use super::suppressed;
use crate::app::App;
use crate::model::{Caller, ListEntry, Permission};
use crate::rules::lists;
use crate::{Error, Resource};

/// Reads an entry, a suppressed address included.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::PodOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn get(app: &App, caller: &Caller, name: &ListName, text: &str) -> Result<ListEntry, Error> {
    require(caller, &name.place, Permission::ListEntryRead)?;
    let list = find(app, caller, name).await?;
    if let Some(suppressed) = suppressed::find(app, &list, text).await? {
        return Ok(suppressed);
    }
    let missing = || Error::not_found(Resource::ListEntry, text);
    let entry = lists::entry(text).map_err(|_| missing())?;
    app.store.list_entry(&list, &entry).await?.ok_or_else(missing)
}
