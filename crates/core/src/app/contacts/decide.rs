//! Decision about a contact.

use super::{find_key, missing};
use crate::Error;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, row_limits, standing};
use crate::model::permissions::ListEntryCreate;
use crate::model::{AuditAction, Contact, ContactDecision, ContactKey, InboxId};
use crate::rules::approval;
use crate::rules::authorization::AuthorizedCaller;

/// Stores the decision about a contact, or removes it. Only a person trusts a contact, because policies of sending let
/// agents write to it.
///
/// # Errors
/// [`PolicyError::PersonRequired`](crate::PolicyError::PersonRequired), [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`],
/// [`Error::RowLimitReached`].
pub async fn decide(
    app: &App,
    caller: &AuthorizedCaller<ListEntryCreate>,
    inbox_id: &InboxId,
    address: &str,
    decision: Option<ContactDecision>,
) -> Result<Contact, Error> {
    let key = find_key(app, caller, inbox_id, address).await?;
    if decision == Some(ContactDecision::Trusted) {
        approval::require_person(caller)?;
    }
    retried(is_contention, || decide_once(app, caller, &key, decision)).await
}

async fn decide_once(
    app: &App,
    caller: &AuthorizedCaller<ListEntryCreate>,
    key: &ContactKey,
    decision: Option<ContactDecision>,
) -> Result<Contact, Error> {
    let missing = || missing(&key.address);
    let mut tx = app.store.begin().await?;
    if decision.is_some() {
        row_limits::lock_organization(tx.as_mut(), key.organization_id).await?;
    }
    let caller = standing::renewed(app, tx.as_mut(), caller).await?;
    let before = tx.contacts().lock(key).await?.ok_or_else(missing)?;
    if decision.is_some() && before.decision.is_none() {
        row_limits::require_contact_decision(app, tx.as_mut(), key.organization_id).await?;
    }
    let contact = tx.contacts().decide(key, decision, app.clock.now()).await?.ok_or_else(missing)?;
    if contact.decision != before.decision {
        let change = AuditChange::updated(AuditAction::ContactUpdated, &before, &contact);
        audit::record(app, tx.as_mut(), &caller, change).await?;
    }
    tx.commit().await?;
    Ok(contact)
}
