//! Brake on the sending of organizations with too many bounces or complaints.

use time::OffsetDateTime;

use super::mail::system_mail;
use crate::Error;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::queue_hold::{self, QueueState};
use crate::app::{App, homes};
use crate::model::{
    AuditAction, BrakeLevel, Event, EventBody, EventId, EventType, Organization, OrganizationId, SLOWED_PER_DAY,
    SendingBrake, SendingCounts,
};
use crate::ports::{StoreError, Tx};
use crate::rules::sending_brake::{self, LEAST_COUNTS};

/// Organizations that are read at a time.
const REVIEWED_BATCH: u32 = 1_000;

/// An organization with the result of its review: the reason of a changed brake.
pub type ReviewedSending = (OrganizationId, Result<Option<String>, Error>);

/// Slows, holds or resumes the sending of organizations by their rates of bounces and complaints. A held one stays held
/// until an operator lifts the brake.
///
/// # Errors
/// [`Error::Store`] for the counts. The next review repeats what fails for one organization.
pub async fn review_sending(app: &App) -> Result<Vec<ReviewedSending>, Error> {
    let mut reviewed = Vec::new();
    if !app.settings.limits.get().brakes_sending {
        return Ok(reviewed);
    }
    let first_day = sending_brake::first_day(app.clock.now());
    let mut after = None;
    loop {
        let batch = app.store.sending_counts(first_day, LEAST_COUNTS, after, REVIEWED_BATCH).await?;
        let is_last = batch.len() < REVIEWED_BATCH as usize;
        after = batch.last().map(|(organization_id, _)| *organization_id);
        for (organization_id, counts) in batch {
            reviewed.push((organization_id, apply(app, organization_id, &counts).await));
        }
        if is_last {
            return Ok(reviewed);
        }
    }
}

/// Lifts the brake on the sending of an organization. What it sends until the next UTC midnight counts no more, and its
/// queued mail becomes due. After an interruption, a repeated call continues.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn lift_brake(app: &App, organization_id: OrganizationId) -> Result<Organization, Error> {
    let lifted = retried(is_contention, || lift(app, organization_id)).await?;
    queue_hold::apply_stop(app, organization_id, QueueState::Due).await?;
    app.wake.outgoing();
    Ok(lifted)
}

async fn lift(app: &App, organization_id: OrganizationId) -> Result<Organization, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let before = tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    if before.brake.is_none() {
        return Ok(before);
    }
    let counts_from = Some(sending_brake::counts_from(now));
    let after = Organization { brake: None, brake_counts_from: counts_from, updated_at: now, ..before.clone() };
    let change = AuditChange::updated(AuditAction::OrganizationUpdated, &before, &after);
    audit::record_by(app, tx.as_mut(), organization_id, audit::OPERATOR, change).await?;
    let body = EventBody::Sending { reason: "the operator lifted the brake".to_owned(), counts: None };
    store(app, tx.as_mut(), &after, body).await?;
    tx.commit().await?;
    Ok(after)
}

/// Applies the brake that counts demand, and holds the queue of an organization that it holds.
async fn apply(app: &App, organization_id: OrganizationId, counts: &SendingCounts) -> Result<Option<String>, Error> {
    let changed = retried(is_contention, || change(app, organization_id, counts)).await?;
    let Some((level, reason)) = changed else { return Ok(None) };
    if level == Some(BrakeLevel::Held) {
        queue_hold::apply_stop(app, organization_id, QueueState::Held).await?;
    }
    Ok(Some(reason))
}

/// Stores the brake that counts demand, if it is another one, with its event and a mail to the owner. Returns the new
/// level and its reason.
async fn change(
    app: &App,
    organization_id: OrganizationId,
    counts: &SendingCounts,
) -> Result<Option<(Option<BrakeLevel>, String)>, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let Some(before) = tx.accounts().lock(organization_id).await? else { return Ok(None) };
    let demanded = sending_brake::demanded(counts);
    let level = demanded.as_ref().map(|(level, _)| *level);
    let present = before.brake.as_ref().map(|brake| brake.level);
    // A brake that was lifted meanwhile counts nothing yet.
    let is_lifted = before.brake_counts_from.is_some_and(|from| from > now);
    if present == level || is_lifted || !sending_brake::may_change(before.brake.as_ref(), level, now) {
        return Ok(None);
    }
    let brake = demanded.map(|(level, reason)| SendingBrake { level, since: now, reason });
    let after = Organization { brake, updated_at: now, ..before.clone() };
    let change = AuditChange::updated(AuditAction::OrganizationUpdated, &before, &after);
    audit::record_by(app, tx.as_mut(), organization_id, audit::SERVICE, change).await?;
    let reason = match &after.brake {
        Some(brake) => brake.reason.clone(),
        None => "bounces and complaints are below the limits".to_owned(),
    };
    let body = EventBody::Sending { reason: reason.clone(), counts: Some(*counts) };
    store(app, tx.as_mut(), &after, body).await?;
    mail_owner(app, tx.as_mut(), &after, now).await?;
    tx.commit().await?;
    Ok(Some((level, reason)))
}

/// Stores a changed brake with its event.
async fn store(app: &App, tx: &mut dyn Tx, after: &Organization, body: EventBody) -> Result<(), StoreError> {
    tx.accounts().update(after).await?;
    let event_type = match after.brake.as_ref().map(|brake| brake.level) {
        Some(BrakeLevel::Held) => EventType::SendingHeld,
        Some(BrakeLevel::Slowed) => EventType::SendingSlowed,
        None => EventType::SendingResumed,
    };
    let event = Event {
        event_id: app.mint::<EventId>(after.updated_at),
        event_type,
        organization_id: after.organization_id,
        pod_id: None,
        inbox_id: None,
        thread_id: None,
        message_id: None,
        body,
        created_at: after.updated_at,
        traceparent: None,
    };
    tx.events().append(&[event]).await
}

/// Queues a mail that tells the owner of an applied brake.
async fn mail_owner(app: &App, tx: &mut dyn Tx, organization: &Organization, now: OffsetDateTime) -> Result<(), Error> {
    let (Some(brake), Some(owner)) = (&organization.brake, &organization.owner_email) else { return Ok(()) };
    let (subject, effect) = match brake.level {
        BrakeLevel::Slowed => (
            "Your sending is slowed",
            format!("Until the rate falls, your organization sends at most {SLOWED_PER_DAY} messages a day (UTC)."),
        ),
        BrakeLevel::Held => (
            "Your sending is held",
            "Your organization sends nothing, and its queued mail waits, until the operator of this server lifts the brake."
                .to_owned(),
        ),
    };
    let text = format!(
        "{reason}.\n\n{effect} Mail to your inboxes still arrives.\n\n\
         Such rates make other servers refuse the mail of everyone here. Remove addresses that do not exist, and write \
         only to people who expect your mail. GET /v0/metrics/rates shows the rates.\n",
        reason = brake.reason,
    );
    let route = homes::of_one(app, owner).await?.route();
    tx.outgoing().enqueue(&[system_mail(app, organization.organization_id, owner, route, subject, text, now)?]).await?;
    Ok(())
}
