//! Placement and end of a legal hold.

use serde_json::{Value, json};

use super::scope_of;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, row_limits, standing};
use crate::model::permissions::LegalHoldUpdate;
use crate::model::{AuditAction, AuditFacts, AuditedResource, InboxId, LegalHold, LegalHoldScope};
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, FieldError, Resource};

/// Maximum length of a reason, in characters.
const MAX_REASON_CHARS: usize = 300;

/// New state of a legal hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegalHoldChange {
    /// Whether it is in force.
    pub enabled: bool,
    /// Why it is placed, or ended.
    pub reason: String,
}

/// Places or ends the legal hold of an inbox or the organization, and returns it while it is in force.
///
/// Deletions that run finish first; none begins afterwards.
///
/// # Errors
/// [`Error::NotAPerson`], [`Error::NotForConnections`], [`Error::Invalid`], [`Error::NotFound`] for the inbox.
pub async fn update(
    app: &App,
    caller: &AuthorizedCaller<LegalHoldUpdate>,
    change: LegalHoldChange,
) -> Result<Option<LegalHold>, Error> {
    Error::unless_empty(problems_of_change(&change))?;
    let scope = scope_of(app, caller).await?;
    if caller.connection.is_some() {
        return Err(Error::NotForConnections);
    }
    if caller.member.is_none() {
        return Err(Error::NotAPerson);
    }
    retried(is_contention, || update_once(app, caller, &scope, &change)).await
}

/// Returns every problem that a change has by itself.
#[must_use]
pub fn problems_of_change(change: &LegalHoldChange) -> Vec<FieldError> {
    let reason = change.reason.trim();
    if reason.is_empty() || reason.chars().count() > MAX_REASON_CHARS || reason.chars().any(char::is_control) {
        return vec![FieldError::new("reason", format!("must be one line of 1 to {MAX_REASON_CHARS} characters"))];
    }
    Vec::new()
}

async fn update_once(
    app: &App,
    caller: &AuthorizedCaller<LegalHoldUpdate>,
    scope: &LegalHoldScope,
    change: &LegalHoldChange,
) -> Result<Option<LegalHold>, Error> {
    let LegalHoldScope { organization_id, inbox_id } = scope;
    let reason = change.reason.trim();
    let mut tx = app.store.begin().await?;
    row_limits::lock_organization(tx.as_mut(), *organization_id).await?;
    let caller = &standing::renewed(app, tx.as_mut(), caller).await?;
    // Deletions hold their inbox: those that run finish first, and later ones see the hold.
    match inbox_id {
        Some(inbox_id) => {
            let locked = tx.inboxes().lock_exclusive(*organization_id, inbox_id).await?;
            locked.ok_or_else(|| Error::not_found(Resource::Inbox, inbox_id))?;
        }
        None => tx.inboxes().lock_all(*organization_id).await?,
    }
    let before = tx.legal_holds().find(scope).await?;
    let after = change.enabled.then(|| LegalHold {
        scope: scope.clone(),
        reason: reason.to_owned(),
        placed_by: caller.actor.clone(),
        placed_at: before.as_ref().map_or_else(|| app.clock.now(), |hold| hold.placed_at),
    });
    let is_same = before.as_ref().map(|hold| &hold.reason) == after.as_ref().map(|hold| &hold.reason);
    if is_same {
        return Ok(before);
    }
    match &after {
        Some(hold) => tx.legal_holds().put(hold).await?,
        None => tx.legal_holds().remove(scope).await?,
    }
    let audited = AuditChange {
        action: if inbox_id.is_some() {
            AuditAction::InboxLegalHoldUpdated
        } else {
            AuditAction::OrganizationLegalHoldUpdated
        },
        resource_type: if inbox_id.is_some() { AuditedResource::Inbox } else { AuditedResource::Organization },
        resource_id: inbox_id.as_ref().map_or_else(|| organization_id.to_string(), InboxId::to_string),
        before: Some(facts(before.is_some(), before.as_ref().map(|hold| hold.reason.as_str()))),
        after: Some(facts(after.is_some(), Some(reason))),
    };
    audit::record(app, tx.as_mut(), caller, audited).await?;
    tx.commit().await?;
    Ok(after)
}

/// Returns the facts of a hold, or of its absence.
fn facts(enabled: bool, reason: Option<&str>) -> AuditFacts {
    let reason = reason.map(|reason| ("reason".to_owned(), Value::from(reason)));
    [("legal_hold".to_owned(), json!(enabled))].into_iter().chain(reason).collect()
}
