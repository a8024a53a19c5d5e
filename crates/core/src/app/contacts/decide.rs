//! Decision about a contact.

use super::{find_key, missing};
use crate::Error;
use crate::app::{App, row_limits};
use crate::model::permissions::ListEntryCreate;
use crate::model::{Contact, ContactDecision, InboxId};
use crate::rules::authorization::AuthorizedCaller;

/// Stores the decision about a contact, or removes it.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`],
/// [`Error::RowLimitReached`].
pub async fn decide(
    app: &App,
    caller: &AuthorizedCaller<ListEntryCreate>,
    inbox_id: &InboxId,
    address: &str,
    decision: Option<ContactDecision>,
) -> Result<Contact, Error> {
    let key = find_key(app, caller, inbox_id, address).await?;
    let mut tx = app.store.begin().await?;
    if decision.is_some() {
        row_limits::lock_organization(tx.as_mut(), key.organization_id).await?;
        row_limits::require_contact_decision(app, tx.as_mut(), key.organization_id).await?;
    }
    let contact = tx.contacts().decide(&key, decision, app.clock.now()).await?.ok_or_else(|| missing(address))?;
    tx.commit().await?;
    Ok(contact)
}
