//! Finishing what was begun and not stored: by a process that was killed, or by this one while storage was away.

use std::future::ready;

use time::OffsetDateTime;

use super::outcome_batcher::{Delivered, settle_delivery};
use super::{App, LEASE};
use crate::Error;
use crate::app::drafts;
use crate::model::{Claim, ClaimedMail, Outgoing, Unfinished};
use crate::rules::retry;

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// What came of the attempt is stored.
    Recorded(Delivered),
    /// Nobody has it any more, and it is done again: nothing is known of how it went.
    Released,
    /// It was stored before, or somebody else has it.
    NothingLeft,
}

/// Finishes work: what is known of it is stored, and what nothing is known of is given up for somebody else to do. Doing
/// so twice is as good as once.
///
/// # Errors
/// [`Error::Store`]; it is to be tried again until it is done.
pub async fn finish(app: &App, work: &Unfinished) -> Result<Finished, Error> {
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
        // An attempt of an earlier version keeps its claim when it is recorded, with fewer recipients.
        Some(outcomes) if outcomes.len() != mail.recipients.len() => Ok(Finished::NothingLeft),
        Some(outcomes) => Ok(Finished::Recorded(settle_delivery(app, &mail, outcomes, ready(())).await?)),
    }
}

/// Keeps a mail from everybody for the length of another lease, where what came of it cannot be stored yet.
///
/// # Errors
/// [`Error::Store`].
pub async fn keep(app: &App, claim: ClaimedMail) -> Result<(), Error> {
    let Some(mail) = app.store.claimed_mail(claim).await? else { return Ok(()) };
    postpone(app, &mail, app.clock.now() + LEASE).await?;
    Ok(())
}

async fn release(app: &App, mail: Outgoing) -> Result<Finished, Error> {
    let due_at = retry::after_interruption(mail.attempts, mail.created_at, app.clock.now()).min(mail.due_at);
    let is_ours = postpone(app, &mail, due_at).await?;
    app.wake.outgoing();
    Ok(if is_ours { Finished::Released } else { Finished::NothingLeft })
}

/// Sets when a mail is due. Answers whether its claim still held.
async fn postpone(app: &App, mail: &Outgoing, due_at: OffsetDateTime) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let is_ours = tx.outgoing().postpone(mail.into(), due_at).await?;
    tx.commit().await?;
    Ok(is_ours)
}
