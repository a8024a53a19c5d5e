//! A send that its caller may repeat without sending twice (`wire.md`, section 1, `Idempotency-Key`).
//!
//! A key is claimed before the send begins, in a short unit of work of its own, so that a repeat finds out in any process
//! that it is running. What came of it is kept in the unit of work that stores the message: there is never one without
//! the other. The claim of a process that died runs out.

use time::Duration;

use super::App;
use super::contention::{is_contention, retried};
use crate::Error;
use crate::model::{Caller, SendClaim, SendKey, Sent, UsedKey};
use crate::ports::ClaimTimes;

/// How long the answer to a key is kept.
pub(super) const KEPT: Duration = Duration::hours(24);
/// How long a claim lasts. A send that takes longer and was claimed anew meanwhile stores nothing.
const LEASE: Duration = Duration::minutes(1);

/// What makes a request repeatable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeatable {
    /// The key of the caller's choice.
    pub key: String,
    /// The SHA-256 of what makes the request this one and no other.
    pub request: [u8; 32],
}

/// Sends, or answers what the same request with the same key was answered before. Only what was accepted is kept.
///
/// # Errors
/// Those of the send, [`Error::SendKeyReused`], [`Error::SendKeyInUse`].
pub async fn once<Sending: Future<Output = Result<Sent, Error>>>(
    app: &App,
    caller: &Caller,
    request: Option<Repeatable>,
    send: impl FnOnce(Option<SendClaim>) -> Sending,
) -> Result<Sent, Error> {
    let Some(Repeatable { key, request }) = request else { return send(None).await };
    let key = SendKey { organization_id: caller.organization.organization_id, key, request };
    let claim = match retried(is_contention, || claim(app, &key)).await? {
        Found::Free(claim) => claim,
        Found::Used(used) => return repeated(key, used),
    };
    let outcome = send(Some(claim.clone())).await;
    if outcome.is_err() {
        // Should this fail, the claim runs out by itself.
        let _ = retried(is_contention, || release(app, &claim)).await;
    }
    outcome
}

/// What a key is found to be.
enum Found {
    Free(SendClaim),
    Used(UsedKey),
}

async fn claim(app: &App, key: &SendKey) -> Result<Found, Error> {
    let now = app.clock.now();
    let claim_id = app.random.uuid_at(now);
    let mut tx = app.store.begin().await?;
    let times = ClaimTimes { now, until: now + LEASE, forgotten: now - KEPT };
    if let Some(used) = tx.send_keys().claim(key, claim_id, times).await? {
        return Ok(Found::Used(used));
    }
    tx.commit().await?;
    Ok(Found::Free(SendClaim { organization_id: key.organization_id, key: key.key.clone(), claim_id }))
}

fn repeated(key: SendKey, used: UsedKey) -> Result<Sent, Error> {
    if used.request != key.request {
        return Err(Error::SendKeyReused(key.key));
    }
    used.sent.ok_or(Error::SendKeyInUse(key.key))
}

async fn release(app: &App, claim: &SendClaim) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    tx.send_keys().release(claim).await?;
    Ok(tx.commit().await?)
}
