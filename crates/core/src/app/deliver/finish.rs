//! Recovery of deliveries that a crashed process, or this process during a storage outage, left unfinished.

use std::future::ready;

use time::OffsetDateTime;

use super::outcome_batcher::{Delivered, settle_delivery};
use super::{App, LEASE};
use crate::Error;
use crate::app::drafts;
use crate::model::{Claim, ClaimedMail, DeliveryReport, OpenWork, QueuedMail};
use crate::rules::retry;

/// Result of a recovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// The outcomes of the attempt are stored.
    Recorded(Delivered),
    /// The claim is released and the work is due again, because its outcome is unknown.
    Released,
    /// Nothing was left: the outcome was already stored, or another worker holds the claim.
    NothingLeft,
}

/// Completes claimed work: stores its known outcomes, or releases the claim if none are known. The call is idempotent.
///
/// # Errors
/// [`Error::Store`]; the caller must retry until the call succeeds.
pub async fn finish(app: &App, work: &OpenWork) -> Result<Finished, Error> {
    let claim = match work.claim {
        Claim::Mail(claim) => claim,
        Claim::Draft(draft) => {
            let is_released = drafts::release(app, &draft).await?;
            return Ok(if is_released { Finished::Released } else { Finished::NothingLeft });
        }
    };
    let Some(mail) = app.store.claimed_mail(claim).await? else { return Ok(Finished::NothingLeft) };
    match &work.outcomes {
        None => release(app, mail).await,
        // If an attempt of an earlier version was recorded, its claim remains, with fewer recipients.
        Some(outcomes) if outcomes.len() != mail.recipients.len() => Ok(Finished::NothingLeft),
        // The journal has no replies of servers.
        Some(outcomes) => {
            let reports: Vec<DeliveryReport> = outcomes.iter().cloned().map(DeliveryReport::from).collect();
            Ok(Finished::Recorded(settle_delivery(app, &mail, &reports, ready(())).await?))
        }
    }
}

/// Extends the claim of a mail by another lease, because its outcome cannot be stored yet.
///
/// # Errors
/// [`Error::Store`].
pub async fn keep(app: &App, claim: ClaimedMail) -> Result<(), Error> {
    let Some(mail) = app.store.claimed_mail(claim).await? else { return Ok(()) };
    postpone(app, &mail, app.clock.now() + LEASE).await?;
    Ok(())
}

async fn release(app: &App, mail: QueuedMail) -> Result<Finished, Error> {
    let due_at = retry::after_interruption(mail.attempts, mail.created_at, app.clock.now()).min(mail.due_at);
    let is_ours = postpone(app, &mail, due_at).await?;
    app.wake.outgoing();
    Ok(if is_ours { Finished::Released } else { Finished::NothingLeft })
}

/// Changes the due time of a mail. Returns whether its claim was still valid.
async fn postpone(app: &App, mail: &QueuedMail, due_at: OffsetDateTime) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let is_ours = tx.outgoing().postpone(mail.into(), due_at).await?;
    tx.commit().await?;
    Ok(is_ours)
}
