//! Deletion of a contact.

use super::{find_key, missing};
use crate::Error;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, standing};
use crate::model::permissions::ListEntryDelete;
use crate::model::{AuditAction, ContactKey, InboxId};
use crate::rules::authorization::AuthorizedCaller;

/// Deletes a contact with its decision and counts. Its next message is the first one again.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn forget(
    app: &App,
    caller: &AuthorizedCaller<ListEntryDelete>,
    inbox_id: &InboxId,
    address: &str,
) -> Result<(), Error> {
    let key = find_key(app, caller, inbox_id, address).await?;
    retried(is_contention, || forget_once(app, caller, &key)).await
}

async fn forget_once(app: &App, caller: &AuthorizedCaller<ListEntryDelete>, key: &ContactKey) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    let caller = standing::renewed(app, tx.as_mut(), caller).await?;
    let before = tx.contacts().lock(key).await?.ok_or_else(|| missing(&key.address))?;
    tx.contacts().delete(key).await?;
    audit::record(app, tx.as_mut(), &caller, AuditChange::deleted(AuditAction::ContactDeleted, &before)).await?;
    Ok(tx.commit().await?)
}
