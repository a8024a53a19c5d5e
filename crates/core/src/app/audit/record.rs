//! Audit entries, in the unit of work of the change.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::facts::{Audited, MAX_NAMED};
use crate::Error;
use crate::app::App;
use crate::error::LimitedRows;
use crate::model::{
    ApiKeyId, AuditAction, AuditActor, AuditEntry, AuditFacts, AuditedResource, Caller, OrganizationId, ServiceActor,
    WebhookId,
};
use crate::ports::{RevokedCredentials, Tx};
use crate::rules::limits;

/// The operator as the author of a change.
pub(in crate::app) const OPERATOR: (AuditActor, Option<IpAddr>) =
    (AuditActor::Service { kind: ServiceActor::Operator }, None);

/// This service as the author of a change.
pub(in crate::app) const SERVICE: (AuditActor, Option<IpAddr>) =
    (AuditActor::Service { kind: ServiceActor::Service }, None);

/// Resources that the deletion of a pod or inbox removes with it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct RemovedDependents {
    pub(in crate::app) api_key_ids: Vec<ApiKeyId>,
    pub(in crate::app) webhook_ids: Vec<WebhookId>,
    pub(in crate::app) list_entries: u64,
}

/// A change as it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct AuditChange {
    pub(in crate::app) action: AuditAction,
    pub(in crate::app) resource_type: AuditedResource,
    pub(in crate::app) resource_id: String,
    pub(in crate::app) before: Option<AuditFacts>,
    pub(in crate::app) after: Option<AuditFacts>,
}

impl AuditChange {
    /// Returns the creation of a resource.
    pub(in crate::app) fn created<T: Audited>(action: AuditAction, after: &T) -> Self {
        Self { after: Some(after.facts()), ..Self::touched(action, after) }
    }

    /// Returns the change of a resource, with the facts that differ.
    pub(in crate::app) fn updated<T: Audited>(action: AuditAction, before: &T, after: &T) -> Self {
        let (mut old, mut new) = (before.facts(), after.facts());
        let same: Vec<String> =
            old.iter().filter(|(name, value)| new.get(*name) == Some(value)).map(|(name, _)| name.clone()).collect();
        for name in same {
            old.remove(&name);
            new.remove(&name);
        }
        Self { before: Some(old), after: Some(new), ..Self::touched(action, after) }
    }

    /// Returns the deletion of a resource.
    pub(in crate::app) fn deleted<T: Audited>(action: AuditAction, before: &T) -> Self {
        Self { before: Some(before.facts()), ..Self::touched(action, before) }
    }

    /// Returns the deletion with counts and ids of the resources that it removed as well.
    pub(in crate::app) fn with_removed(mut self, gone: &RemovedDependents) -> Self {
        let facts = self.before.get_or_insert_default();
        facts.insert("api_keys".to_owned(), json!(gone.api_key_ids.len()));
        facts.insert("api_key_ids".to_owned(), named(&gone.api_key_ids));
        facts.insert("webhooks".to_owned(), json!(gone.webhook_ids.len()));
        facts.insert("webhook_ids".to_owned(), named(&gone.webhook_ids));
        facts.insert("list_entries".to_owned(), json!(gone.list_entries));
        self
    }

    /// Returns the removal of a member with the credentials that it revoked.
    pub(in crate::app) fn with_revoked(mut self, revoked: &RevokedCredentials) -> Self {
        let facts = self.before.get_or_insert_default();
        facts.insert("api_key_ids".to_owned(), named(&revoked.api_key_ids));
        facts.insert("connection_ids".to_owned(), named(&revoked.connection_ids));
        self
    }

    /// Returns a change that no fact shows, such as that of a secret.
    pub(in crate::app) fn touched<T: Audited>(action: AuditAction, resource: &T) -> Self {
        let (resource_type, resource_id) = (T::RESOURCE, resource.resource_id());
        Self { action, resource_type, resource_id, before: None, after: None }
    }

    /// Returns whether the daily limit leaves the change out: a key can always be revoked, and a held message, which the
    /// limits of sending bound, decided.
    fn is_unlimited(&self) -> bool {
        matches!(self.action, AuditAction::DraftApproved | AuditAction::DraftRejected)
            || self.action.as_str().ends_with(".deleted")
    }
}

fn named(ids: &[impl ToString]) -> Value {
    ids.iter().take(MAX_NAMED).map(ToString::to_string).collect()
}

/// Records a change by a caller.
///
/// # Errors
/// [`Error::RowLimitReached`], [`Error::Store`].
pub(in crate::app) async fn record(
    app: &App,
    tx: &mut dyn Tx,
    caller: &Caller,
    change: AuditChange,
) -> Result<(), Error> {
    let actor = AuditActor::Caller(caller.actor.clone());
    record_by(app, tx, caller.organization.organization_id, (actor, caller.client_address), change).await
}

/// Records a change by an author with the address of its client.
///
/// # Errors
/// As [`record`].
pub(in crate::app) async fn record_by(
    app: &App,
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
    (actor, client_address): (AuditActor, Option<IpAddr>),
    change: AuditChange,
) -> Result<(), Error> {
    let now = app.clock.now();
    let limit = app.settings.limits.get().rows.daily_changes;
    let daily_limit = (!change.is_unlimited() && matches!(actor, AuditActor::Caller(_))).then_some(limit);
    let entry = AuditEntry {
        organization_id,
        entry_id: app.mint(now),
        action: change.action,
        resource_type: change.resource_type,
        resource_id: change.resource_id,
        actor,
        client_address: client_address.map(|address| address.to_string()),
        before: change.before,
        after: change.after,
        created_at: now,
    };
    if tx.audit().append(&entry, daily_limit).await? {
        return Ok(());
    }
    Err(Error::RowLimitReached { rows: LimitedRows::Changes { resets_at: limits::next_day(now) }, limit })
}
