//! Limits and metrics of the requests to a store.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::ports::{BlobError, BlobName, BlobStore, ListedBlob};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use crate::metrics::{BlobMetrics, Operation};

/// Time without requests after one that got no response in time.
const PAUSE: Duration = Duration::from_secs(5);
/// Bytes for which a request has a millisecond more: a megabyte in a second.
const BYTES_PER_MILLISECOND: u64 = 1000;

/// Limits of the requests to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobLimits {
    /// Maximum concurrent requests: half of them reads, half of them others, and at least one of each. Further ones wait.
    pub connections: usize,
    /// Maximum time of a request, retries included, and a second more for each megabyte. It also bounds the time of waiting.
    pub timeout: Duration,
}

/// Store with limits of concurrent requests and of their time. It counts each request.
///
/// After a request without a response in time, further ones fail at once for five seconds, so that they hold up nothing else.
/// Then one request tries again.
#[derive(Debug)]
pub struct BoundedBlobs<S> {
    store: S,
    reads: Semaphore,
    others: Semaphore,
    timeout: Duration,
    /// Time until which requests fail at once; `None` while the store responds.
    away_until: Mutex<Option<Instant>>,
    metrics: BlobMetrics,
}

impl<S: BlobStore> BoundedBlobs<S> {
    /// Bounds a store.
    #[must_use]
    pub fn new(store: S, limits: BlobLimits, metrics: BlobMetrics) -> Self {
        let BlobLimits { connections, timeout } = limits;
        let half = || Semaphore::new((connections / 2).max(1));
        Self { store, reads: half(), others: half(), timeout, away_until: Mutex::default(), metrics }
    }

    /// Runs a request that transfers about this many bytes, and counts it.
    async fn run<T: Send>(
        &self,
        operation: Operation,
        bytes: u64,
        request: impl Future<Output = Result<T, BlobError>> + Send,
    ) -> Result<T, BlobError> {
        let start = Instant::now();
        let limited = async {
            self.require_present()?;
            let permits = if operation == Operation::Get { &self.reads } else { &self.others };
            // The semaphore is never closed.
            let Ok(_permit) = timeout(self.timeout, permits.acquire()).await else {
                return Err(BlobError::Unavailable(format!(
                    "other requests take more than {} s",
                    self.timeout.as_secs_f64()
                )));
            };
            let limit = self.timeout + Duration::from_millis(bytes / BYTES_PER_MILLISECOND);
            let is_trial = self.admit(limit)?;
            let result = timeout(limit, request).await;
            match &result {
                Ok(Err(BlobError::Unavailable(_))) if is_trial => self.set_away(Some(PAUSE)),
                Ok(Err(BlobError::Unavailable(_))) => {}
                Ok(_) => self.set_away(None),
                Err(_) => self.set_away(Some(PAUSE)),
            }
            result.unwrap_or_else(|_| Err(no_response(limit)))
        };
        let result = limited.await;
        self.metrics.record(operation, &result, start.elapsed());
        result
    }

    /// Refuses a request while the store is away.
    fn require_present(&self) -> Result<(), BlobError> {
        match *self.away_until() {
            Some(until) if Instant::now() < until => Err(no_response(self.timeout)),
            _ => Ok(()),
        }
    }

    /// Refuses a request while the store is away, and returns whether it is the trial. The first request after a pause
    /// becomes the trial: until `limit` has passed, all others are refused.
    fn admit(&self, limit: Duration) -> Result<bool, BlobError> {
        let mut away_until = self.away_until();
        let Some(until) = *away_until else { return Ok(false) };
        let now = Instant::now();
        if now < until {
            return Err(no_response(self.timeout));
        }
        *away_until = Some(now + limit);
        Ok(true)
    }

    fn set_away(&self, pause: Option<Duration>) {
        *self.away_until() = pause.map(|pause| Instant::now() + pause);
    }

    fn away_until(&self) -> MutexGuard<'_, Option<Instant>> {
        self.away_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn no_response(limit: Duration) -> BlobError {
    BlobError::Unavailable(format!("no response within {} s", limit.as_secs_f64()))
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[async_trait]
impl<S: BlobStore> BlobStore for BoundedBlobs<S> {
    async fn put(&self, name: &BlobName, content: &[u8]) -> Result<(), BlobError> {
        self.run(Operation::Put, count(content.len()), self.store.put(name, content)).await
    }

    async fn get(&self, name: &BlobName, range: Option<Range<u64>>) -> Result<Vec<u8>, BlobError> {
        let bytes = range.as_ref().map_or(0, |range| range.end.saturating_sub(range.start));
        self.run(Operation::Get, bytes, self.store.get(name, range)).await
    }

    async fn delete(&self, names: &[BlobName]) -> Result<(), BlobError> {
        self.run(Operation::Delete, 0, self.store.delete(names)).await
    }

    async fn list(&self, after: Option<&BlobName>, limit: usize) -> Result<Vec<ListedBlob>, BlobError> {
        self.run(Operation::List, 0, self.store.list(after, limit)).await
    }
}
