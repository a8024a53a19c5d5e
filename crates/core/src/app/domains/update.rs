//! Change of the uses of a domain.
//!
//! The name of a domain never changes.

use super::catch_all::require_catch_all;
use super::find::lock;
use super::settle::settle;
use crate::Error;
use crate::app::audit::{self, AuditChange};
use crate::app::{App, scope};
use crate::model::permissions::DomainUpdate;
use crate::model::{AuditAction, Domain, DomainId, InboxId};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::domains::{records, status};

/// Changes to a domain; `None` leaves a field unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DomainChange {
    /// Whether the organization receives bounces and complaints about mail of the domain.
    pub feedback_enabled: Option<bool>,
    /// Whether subdomains may have inboxes. This needs another record, so a verified domain is pending until DNS
    /// contains it.
    pub subdomains_enabled: Option<bool>,
    /// Whether the service receives mail for the domain. This needs the MX records of the domain.
    pub inbound_enabled: Option<bool>,
    /// The inbox that receives mail for addresses without an inbox; `Some(None)` removes it.
    pub catch_all_inbox_id: Option<Option<InboxId>>,
}

/// Changes a domain.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`] for a catch-all that is no inbox.
pub async fn update(
    app: &App,
    caller: &AuthorizedCaller<DomainUpdate>,
    domain_id: DomainId,
    change: DomainChange,
) -> Result<Domain, Error> {
    scope::resolve(app, caller).await?;
    require_catch_all(app, caller, change.catch_all_inbox_id.as_ref().and_then(Option::as_ref)).await?;
    let mut tx = app.store.begin().await?;
    let before = lock(tx.as_mut(), caller, domain_id).await?;
    let feedback_enabled = change.feedback_enabled.unwrap_or(before.feedback_enabled);
    let subdomains_enabled = change.subdomains_enabled.unwrap_or(before.subdomains_enabled);
    let host = &app.settings.domain;
    let inbound_enabled = change.inbound_enabled.unwrap_or(before.inbound_enabled);
    let catch_all_inbox_id = change.catch_all_inbox_id.unwrap_or_else(|| before.catch_all_inbox_id.clone());
    let records = before.records.clone();
    let records = records::with_switches(records, &before.name, host, inbound_enabled, subdomains_enabled);
    let switched =
        Domain { feedback_enabled, subdomains_enabled, inbound_enabled, catch_all_inbox_id, ..before.clone() };
    let after = status::with_records(switched, records, app.clock.now());
    settle(app, tx.as_mut(), &before, &after, caller.traceparent).await?;
    let change = AuditChange::updated(AuditAction::DomainUpdated, &before, &after);
    audit::record(app, tx.as_mut(), caller, change).await?;
    let _invalidation = app.waiting.recipients.invalidate_on_drop();
    tx.commit().await?;
    Ok(after)
}
