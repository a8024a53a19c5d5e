//! Deletion of a list entry.

use super::name::{ListName, find};
use super::suppressed;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::model::AuditAction;
use crate::model::permissions::ListEntryDelete;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::lists;
use crate::{Error, Resource};

/// Deletes an entry of a list. The entry of a suppressed address is read-only.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`], [`Error::ReadOnlyEntry`].
pub async fn delete(
    app: &App,
    caller: &AuthorizedCaller<ListEntryDelete>,
    name: ListName,
    text: &str,
) -> Result<(), Error> {
    let list = find(app, caller, name).await?;
    if let Some(suppressed) = suppressed::find(app, &list, text).await? {
        return Err(Error::ReadOnlyEntry(suppressed.entry.as_str().to_owned()));
    }
    let missing = || Error::not_found(Resource::ListEntry, text);
    let entry = lists::parse_entry(text).map_err(|_| missing())?;
    let found = app.store.list_entry(&list, &entry).await?.ok_or_else(missing)?;
    let mut tx = app.store.begin().await?;
    if !tx.lists().delete(&list, &entry).await? {
        return Err(missing());
    }
    audit::record(app, tx.as_mut(), caller, AuditChange::deleted(AuditAction::ListEntryDeleted, &found)).await?;
    Ok(tx.commit().await?)
}
