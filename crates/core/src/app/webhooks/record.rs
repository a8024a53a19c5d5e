//! Storage of delivery results in batches.

use std::collections::BTreeMap;

use serde_json::json;
use time::Duration;

use super::Outcome;
use crate::Error;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::model::{AuditAction, AuditFacts, AuditedResource, EventId, OrganizationId, WebhookAttempt, WebhookId};
use crate::ports::{FailureRun, Settlement};
use crate::rules::webhooks::auto_disable::FailureStreak;

/// Maximum of obsolete deliveries that one call deletes.
const PURGED_AT_ONCE: u32 = 1000;

/// Webhook that was disabled because it failed for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenUp {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The webhook.
    pub webhook_id: WebhookId,
}

/// Stores the results of deliveries in one unit of work. Attempts are logged, accepted deliveries leave the queue, and
/// the others are scheduled again or dropped. A webhook with nothing but failures for five days is disabled.
///
/// The call is idempotent: it may be repeated if it is unknown whether its results were stored.
///
/// # Errors
/// [`Error::Store`].
pub async fn record(app: &App, outcomes: &[Outcome]) -> Result<Vec<GivenUp>, Error> {
    retried(is_contention, || record_once(app, outcomes)).await
}

async fn record_once(app: &App, outcomes: &[Outcome]) -> Result<Vec<GivenUp>, Error> {
    let attempts: Vec<WebhookAttempt> = outcomes.iter().filter_map(|outcome| outcome.attempt.clone()).collect();
    let settlements: Vec<Settlement> = outcomes.iter().map(settlement).collect();
    let mut tx = app.store.begin().await?;
    let runs = tx.deliveries().lock_runs(&concerned(&attempts)).await?;
    let after: Vec<FailureRun> = runs.iter().map(|run| after(run, &attempts)).collect();
    let changed: Vec<FailureRun> = after.iter().filter(|run| !runs.contains(run)).cloned().collect();
    if !changed.is_empty() {
        tx.deliveries().update_runs(&changed, app.clock.now()).await?;
    }
    if !attempts.is_empty() {
        tx.deliveries().log(&attempts).await?;
    }
    tx.deliveries().settle(&settlements).await?;
    let disabled = runs.iter().zip(&after).filter(|(before, after)| before.enabled && !after.enabled);
    let disabled: Vec<GivenUp> =
        disabled.map(|(_, run)| GivenUp { organization_id: run.organization_id, webhook_id: run.webhook_id }).collect();
    for given_up in &disabled {
        let change = AuditChange {
            action: AuditAction::WebhookUpdated,
            resource_type: AuditedResource::Webhook,
            resource_id: given_up.webhook_id.to_string(),
            before: Some(enabled(true)),
            after: Some(enabled(false)),
        };
        audit::record_by(app, tx.as_mut(), given_up.organization_id, audit::SERVICE, change).await?;
    }
    tx.commit().await?;
    Ok(disabled)
}

fn enabled(is_enabled: bool) -> AuditFacts {
    [("enabled".to_owned(), json!(is_enabled))].into_iter().collect()
}

fn settlement(outcome: &Outcome) -> Settlement {
    let next_attempt_at = outcome.attempt.as_ref().and_then(|attempt| attempt.next_attempt_at);
    Settlement { delivery: outcome.delivery.clone(), next_attempt_at }
}

/// Returns the webhooks of these attempts in the order of their ids, each with whether one of its attempts failed.
fn concerned(attempts: &[WebhookAttempt]) -> Vec<(OrganizationId, WebhookId, bool)> {
    let mut concerned = BTreeMap::new();
    for attempt in attempts {
        *concerned.entry((attempt.organization_id, attempt.webhook_id)).or_insert(false) |= !attempt.is_success();
    }
    concerned
        .into_iter()
        .map(|((organization_id, webhook_id), has_failed)| (organization_id, webhook_id, has_failed))
        .collect()
}

/// Returns the failure streak of a webhook after these attempts, which are sorted by their end.
fn after(before: &FailureRun, attempts: &[WebhookAttempt]) -> FailureRun {
    let mut after = before.clone();
    for attempt in attempts.iter().filter(|attempt| attempt.webhook_id == before.webhook_id) {
        let ended_at = attempt.attempted_at + Duration::milliseconds(attempt.duration_ms.into());
        after.run = if attempt.is_success() { None } else { Some(FailureStreak::after(after.run, ended_at)) };
    }
    after.enabled &= !after.run.is_some_and(|run| run.should_disable());
    after
}

/// Deletes a limited number of deliveries to deleted webhooks or of events past retention. Returns whether more may
/// remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge(app: &App) -> Result<bool, Error> {
    let forgotten = EventId::first_at(app.clock.now() - app.settings.event_retention);
    let mut tx = app.store.begin().await?;
    let purged = tx.deliveries().purge(forgotten, PURGED_AT_ONCE).await?;
    tx.commit().await?;
    Ok(purged >= u64::from(PURGED_AT_ONCE))
}
