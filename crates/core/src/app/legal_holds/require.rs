//! Refusal of deletions under a legal hold. The caller holds or locks the inbox.

use crate::Error;
use crate::model::{Inbox, InboxId, LegalHold, LegalHoldScope, OrganizationId};
use crate::ports::Tx;

/// Refuses to delete something of an inbox, or the inbox, under a hold of it or of its organization.
///
/// # Errors
/// [`Error::LegalHold`].
pub(in crate::app) async fn require_deletable_inbox(tx: &mut dyn Tx, inbox: &Inbox) -> Result<(), Error> {
    require_deletable(tx, inbox.organization_id, Some(&inbox.inbox_id)).await
}

/// Refuses to delete something of a scope under a hold that covers it.
///
/// # Errors
/// [`Error::LegalHold`].
pub(in crate::app) async fn require_deletable(
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
    inbox_id: Option<&InboxId>,
) -> Result<(), Error> {
    let scope = LegalHoldScope { organization_id, inbox_id: inbox_id.cloned() };
    refuse(tx.legal_holds().covering(&scope).await?)
}

/// Refuses to remove an organization with any hold.
///
/// # Errors
/// [`Error::LegalHold`].
pub(in crate::app) async fn require_removable(tx: &mut dyn Tx, organization_id: OrganizationId) -> Result<(), Error> {
    refuse(tx.legal_holds().any(organization_id).await?)
}

fn refuse(hold: Option<LegalHold>) -> Result<(), Error> {
    match hold {
        Some(hold) => Err(Error::LegalHold(hold.scope.inbox_id)),
        None => Ok(()),
    }
}
