//! Idempotent sends (`wire.md`, section 1, `Idempotency-Key`).
//!
//! A short unit of work claims the key before the send begins, so that a repeated request sees the running send in any
//! process. The unit of work that stores the message also stores the result: there is never one without the other.
//! Other processes release the claims of a dead process; otherwise they expire.

use std::sync::{Mutex, MutexGuard, PoisonError};

use time::Duration;

use super::App;
use super::contention::{is_contention, retried};
use crate::Error;
use crate::model::{Caller, IdempotencyClaim, IdempotencyKey, SendResult, UsedKey};
use crate::ports::{ClaimTimes, StoreError};

/// Retention of the result of a key.
pub(super) const IDEMPOTENCY_KEY_TTL: Duration = Duration::hours(24);
/// Lease of a claim. A send whose key was claimed again after the lease stores nothing.
const LEASE: Duration = Duration::minutes(1);

/// Maximum number of claims that await release. Claims beyond it expire.
const MAX_ABANDONED_KEYS: usize = 10_000;

/// Idempotency key and digest of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeatable {
    /// Key chosen by the caller.
    pub key: String,
    /// SHA-256 digest that identifies the request.
    pub request: [u8; 32],
}

/// Sends, or returns the stored result of the same request with the same key. Only accepted sends have a stored result.
///
/// # Errors
/// The errors of the send, [`Error::SendKeyReused`], [`Error::SendKeyInUse`].
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

/// Claims that this process could not release while storage was unavailable.
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

    /// Locks the list. It stays consistent after a panic of a lock holder.
    fn locked(&self) -> MutexGuard<'_, Vec<IdempotencyClaim>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Retries the release of abandoned claims. A claim whose release fails again stays in the list.
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

/// State of a key.
enum Found {
    Free(IdempotencyClaim),
    Used(UsedKey),
}

async fn claim(app: &App, key: &IdempotencyKey) -> Result<Found, Error> {
    let now = app.clock.now();
    let claim_id = app.claim_id(now);
    let mut tx = app.store.begin().await?;
    let times = ClaimTimes { now, until: now + LEASE, forgotten: now - IDEMPOTENCY_KEY_TTL };
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
