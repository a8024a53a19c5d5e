//! Suspension of an organization by the operator, and its end.

use crate::Error;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::queue_hold::{self, QueueState};
use crate::model::{AuditAction, Organization, OrganizationId, Suspension};

/// Maximum length of a reason, in characters.
const MAX_REASON_CHARS: usize = 300;

/// Suspends an organization, or changes the reason of its suspension.
///
/// A suspended organization reads and sends nothing. Its queued mail waits, and mail to it is deferred. The
/// suspension commits first, then the queue is held in slices. After an interruption, a repeated call continues.
///
/// # Errors
/// [`Error::Invalid`] for an unprintable, empty or long reason, [`Error::NotFound`].
pub async fn suspend(app: &App, organization_id: OrganizationId, reason: &str) -> Result<Organization, Error> {
    let reason = reason.trim();
    if reason.is_empty() || reason.chars().count() > MAX_REASON_CHARS || reason.chars().any(char::is_control) {
        let problem = format!("must be one line of 1 to {MAX_REASON_CHARS} characters");
        return Err(Error::invalid("reason", problem));
    }
    let suspended = retried(is_contention, || change(app, organization_id, Some(reason))).await?;
    queue_hold::apply_stop(app, organization_id, QueueState::Held).await?;
    Ok(suspended)
}

/// Resumes a suspended organization.
///
/// Its queued mail becomes due, except the mail of paused inboxes. After an interruption, a repeated call continues.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn resume(app: &App, organization_id: OrganizationId) -> Result<Organization, Error> {
    let resumed = retried(is_contention, || change(app, organization_id, None)).await?;
    queue_hold::apply_stop(app, organization_id, QueueState::Due).await?;
    app.wake.outgoing();
    Ok(resumed)
}

async fn change(app: &App, organization_id: OrganizationId, reason: Option<&str>) -> Result<Organization, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    let since = organization.suspension.as_ref().map_or(now, |suspension| suspension.at);
    let suspension = reason.map(|reason| Suspension { at: since, reason: reason.to_owned() });
    let before = organization.clone();
    let organization = Organization { suspension, updated_at: now, ..organization };
    tx.accounts().update(&organization).await?;
    let change = AuditChange::updated(AuditAction::OrganizationUpdated, &before, &organization);
    audit::record_by(app, tx.as_mut(), organization_id, audit::OPERATOR, change).await?;
    tx.commit().await?;
    Ok(organization)
}
