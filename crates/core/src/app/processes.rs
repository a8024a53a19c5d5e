//! Process heartbeats, and release of the claims of dead processes.

use time::Duration;
use uuid::Uuid;

use super::App;
use super::deliver::LEASE;
use super::webhooks;
use crate::Error;
use crate::model::{Claim, OpenWork};
use crate::ports::{ClockStep, ProcessBeat, WorkJournal};

/// Records a heartbeat of this process and returns the previous state of all processes.
///
/// # Errors
/// [`Error::Store`].
pub async fn beat(app: &App) -> Result<Vec<ProcessBeat>, Error> {
    Ok(app.store.record_heartbeat(app.process_id, app.clock.now()).await?)
}

/// Releases the webhook deliveries and idempotency keys that ended processes claimed, and returns their number.
///
/// # Errors
/// [`Error::Store`].
pub async fn release_claims(app: &App, processes: &[Uuid]) -> Result<u64, Error> {
    let released = app.store.release_claims(processes, app.clock.now()).await?;
    if released > 0 {
        app.wake.webhooks();
    }
    Ok(released)
}

/// Releases claims like [`release_claims`] and deletes the processes. Their journals contain their other claims.
///
/// # Errors
/// [`Error::Store`].
pub async fn release_ended(app: &App, processes: &[Uuid]) -> Result<u64, Error> {
    let released = release_claims(app, processes).await?;
    app.store.forget_processes(processes).await?;
    Ok(released)
}

/// Takes over the claims of processes without heartbeats.
///
/// Releases their webhook deliveries and idempotency keys. Returns their claimed messages, which the caller must
/// [finish](super::finish). The journal records these claims before the processes are deleted.
///
/// # Errors
/// [`Error::Store`].
pub async fn take_over(app: &App, journal: &dyn WorkJournal, silent: &[Uuid]) -> Result<Vec<OpenWork>, Error> {
    let now = app.clock.now();
    let mail = app.store.mail_claimed_by(silent, now, now + LEASE).await?;
    let claims: Vec<Claim> = mail.into_iter().map(Claim::Mail).collect();
    if !claims.is_empty() {
        journal.begun(&claims);
    }
    release_ended(app, silent).await?;
    Ok(claims.into_iter().map(|claim| OpenWork { claim, outcomes: None }).collect())
}

/// Brings forward due times in the future after the clock was set back, and returns their number. No lease becomes
/// shorter than a new one.
///
/// # Errors
/// [`Error::Store`].
pub async fn follow_clock(app: &App, set_back_by: Duration) -> Result<u64, Error> {
    let now = app.clock.now();
    let step = ClockStep { by: set_back_by, now, message_lease_end: now + LEASE, lease_end: now + webhooks::LEASE };
    let moved = app.store.bring_forward_due_times(step).await?;
    app.wake.outgoing();
    app.wake.webhooks();
    Ok(moved)
}
