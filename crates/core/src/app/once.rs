//! A send that its caller may repeat without sending twice (`wire.md`, section 1, `Idempotency-Key`).
//!
//! A key is claimed before the send begins, in a short unit of work of its own, so that a repeat finds out in any process
//! that it is running. What came of it is kept in the unit of work that stores the message: there is never one without
//! the other. The claim of a process that died is released by others, or runs out.

use std::sync::{Mutex, MutexGuard, PoisonError};

use time::Duration;

use super::App;
use super::contention::{is_contention, retried};
use crate::Error;
use crate::model::{Caller, IdempotencyClaim, IdempotencyKey, SendResult, UsedKey};
use crate::ports::{ClaimTimes, StoreError};

/// How long the answer to a key is kept.
pub(super) const KEPT: Duration = Duration::hours(24);
/// How long a claim lasts. A send that takes longer and was claimed anew meanwhile stores nothing.
const LEASE: Duration = Duration::minutes(1);

/// Claims that are kept to be released. Beyond, claims run out by themselves.
const MAX_ABANDONED_KEYS: usize = 10_000;

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
pub async fn once<Sending: Future<Output = Result<SendResult, Error>>>(
    app: &App,
    caller: &Caller,
    request: Option<Repeatable>,
    send: impl FnOnce(Option<IdempotencyClaim>) -> Sending,
) -> Result<SendResult, Error> {
    let Some(Repeatable { key, request }) = request else { return send(None).await };
    let key = IdempotencyKey { organization_id: caller.organization.organization_id, key, request };
    let claim = match retried(is_contention, || claim(app, &key)).await? {
        Found::Free(claim) => claim,
        Found::Used(used) => return repeated(key, used),
    };
    let outcome = send(Some(claim.clone())).await;
    if outcome.is_err() && retried(is_contention, || release(app, &claim)).await.is_err() {
        app.waiting.abandoned_keys.add(claim);
    }
    outcome
}

/// Claims that this process could not release while storage was away.
#[derive(Default)]
pub(super) struct AbandonedKeys(Mutex<Vec<IdempotencyClaim>>);

impl AbandonedKeys {
    fn add(&self, claim: IdempotencyClaim) {
        let mut claims = self.locked();
        if claims.len() < MAX_ABANDONED_KEYS {
            claims.push(claim);
        }
    }

    fn take(&self) -> Vec<IdempotencyClaim> {
        std::mem::take(&mut *self.locked())
    }

    /// Locks the list, which stays whole even when a holder of the lock has panicked.
    fn locked(&self) -> MutexGuard<'_, Vec<IdempotencyClaim>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Releases the claims that could not be released before. Those that cannot be released now are kept.
pub async fn release_abandoned_keys(app: &App) {
    let mut claims = app.waiting.abandoned_keys.take().into_iter();
    while let Some(claim) = claims.next() {
        if retried(is_contention, || release(app, &claim)).await.is_err() {
            for claim in std::iter::once(claim).chain(claims.by_ref()) {
                app.waiting.abandoned_keys.add(claim);
            }
        }
    }
}

/// What a key is found to be.
enum Found {
    Free(IdempotencyClaim),
    Used(UsedKey),
}

async fn claim(app: &App, key: &IdempotencyKey) -> Result<Found, Error> {
    let now = app.clock.now();
    let claim_id = app.claim_id(now);
    let mut tx = app.store.begin().await?;
    let times = ClaimTimes { now, until: now + LEASE, forgotten: now - KEPT };
    if let Some(used) = tx.idempotency_keys().claim(key, claim_id, times).await? {
        return Ok(Found::Used(used));
    }
    let claim = IdempotencyClaim { organization_id: key.organization_id, key: key.key.clone(), claim_id };
    match tx.commit().await {
        Ok(()) => Ok(Found::Free(claim)),
        Err(error) => {
            if matches!(error, StoreError::Undecided(_)) {
                app.waiting.abandoned_keys.add(claim);
            }
            Err(error.into())
        }
    }
}

fn repeated(key: IdempotencyKey, used: UsedKey) -> Result<SendResult, Error> {
    if used.request != key.request {
        return Err(Error::SendKeyReused(key.key));
    }
    used.sent.ok_or(Error::SendKeyInUse(key.key))
}

async fn release(app: &App, claim: &IdempotencyClaim) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    tx.idempotency_keys().release(claim).await?;
    Ok(tx.commit().await?)
}
