//! Deletion of an inbox.

use crate::app::audit::{self, AuditChange, RemovedDependents};
use crate::app::{App, legal_holds, policies, scope};
use crate::model::permissions::InboxDelete;
use crate::model::{AuditAction, AuditActor, InboxId, ListLevel, PolicyLevel};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Deletes an inbox with its mail, lists and webhooks, and revokes its keys. The address stays claimed.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`],
/// [`Error::LegalHold`].
pub async fn delete(app: &App, caller: &AuthorizedCaller<InboxDelete>, inbox_id: &InboxId) -> Result<(), Error> {
    scope::require_inbox(app, caller, inbox_id).await?;
    let organization_id = caller.organization.organization_id;
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let inbox = tx
        .inboxes()
        .lock(organization_id, inbox_id)
        .await?
        .ok_or_else(|| Error::not_found(Resource::Inbox, inbox_id))?;
    access::require_pod(caller, &inbox)?;
    legal_holds::require_deletable_inbox(tx.as_mut(), &inbox).await?;
    tx.inboxes().delete(organization_id, inbox_id, now).await?;
    let author = (AuditActor::Caller(caller.actor.clone()), caller.client_address);
    let level = PolicyLevel::Inbox(inbox_id.clone());
    policies::remove(app, tx.as_mut(), organization_id, author.clone(), &level).await?;
    tx.members().leave_inbox(organization_id, inbox_id, now).await?;
    // The threads of these keys belong to this inbox and are deleted with it, so none needs to be unassigned.
    let api_key_ids = tx.api_keys().revoke_of_inbox(organization_id, inbox_id, now).await?;
    policies::remove_of_keys(app, tx.as_mut(), organization_id, &author, &api_key_ids).await?;
    let webhook_ids = tx.webhooks().leave_inbox(organization_id, inbox_id, now).await?;
    let level = ListLevel::Inbox { pod_id: inbox.pod_id, inbox_id: inbox_id.clone() };
    let list_entries = tx.lists().delete_all(organization_id, &level).await?;
    let gone = RemovedDependents { api_key_ids, webhook_ids, list_entries };
    let change = AuditChange::deleted(AuditAction::InboxDeleted, &inbox).with_removed(&gone);
    audit::record(app, tx.as_mut(), caller, change).await?;
    let _invalidation = app.waiting.recipients.invalidate_on_drop();
    Ok(tx.commit().await?)
}
