//! Suspending an organization, and resuming it; for operators.

use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::app::queue_hold::{self, QueueState};
use crate::model::{Organization, OrganizationId, Suspension};

/// The longest reason of a suspension, in characters.
const MAX_REASON_CHARS: usize = 300;

/// Suspends an organization, or changes the reason of its suspension: it reads and sends nothing, what it has queued waits,
/// and mail to it is deferred. The suspension is committed first; then the queue is held in slices, and a repeat goes on.
///
/// # Errors
/// [`Error::Invalid`] for a reason that cannot be shown, [`Error::NotFound`].
pub async fn suspend(app: &App, organization_id: OrganizationId, reason: &str) -> Result<Organization, Error> {
    let reason = reason.trim();
    if reason.is_empty() || reason.chars().count() > MAX_REASON_CHARS || reason.chars().any(char::is_control) {
        let problem = format!("must be one line of 1 to {MAX_REASON_CHARS} characters");
        return Err(Error::invalid("reason", problem));
    }
    let suspended = retried(is_contention, || change(app, organization_id, Some(reason))).await?;
    queue_hold::apply_suspension(app, organization_id, QueueState::Held).await?;
    Ok(suspended)
}

/// Resumes a suspended organization: what waits goes on, but for what paused inboxes hold. A repeat goes on where it stopped.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn resume(app: &App, organization_id: OrganizationId) -> Result<Organization, Error> {
    let resumed = retried(is_contention, || change(app, organization_id, None)).await?;
    queue_hold::apply_suspension(app, organization_id, QueueState::Due).await?;
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
    let organization = Organization { suspension, updated_at: now, ..organization };
    tx.accounts().update(&organization).await?;
    tx.commit().await?;
    Ok(organization)
}
