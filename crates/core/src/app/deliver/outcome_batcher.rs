//! Outcome batches: delivery outcomes of one organization are stored in one unit of work.

use futures_util::future::join_all;
use inboxd_batcher::{BatchLimits, Batcher, LeaderDropped, LeaderWaits};

use super::record::{AttemptRecord, record};
use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::app::permits::Permits;
use crate::model::{DeliveryReport, OrganizationId, QueuedMail};
use crate::ports::StoreError;

/// Maximum of concurrent units of work; each organization has one at most.
const MAX_BATCHES: usize = 64;
/// Maximum of attempts in one unit of work.
const BATCH_LIMITS: BatchLimits = BatchLimits { jobs: 64, weight: 64 };
/// Maximum of attempts that are stored alone concurrently after their batch failed.
const MAX_SINGLE: usize = 4;

/// The recipients of an attempt, counted by outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Recipients with accepted mail.
    pub delivered: usize,
    /// Recipients with permanently refused mail.
    pub bounced: usize,
    /// Recipients that will be tried again.
    pub deferred: usize,
}

/// Stores the outcome of an attempt for each recipient, in their order, with events, suppressions and the log of the
/// attempt, in one unit of work with other waiting outcomes of the organization. An outcome that arrives during a batch lingers for a `pause` before the next
/// batch begins: no caller waits for it, and larger batches cost less.
///
/// # Errors
/// [`Error::Store`]; the worker must then [store the outcomes later](super::finish), because the message is sent.
pub async fn settle_delivery(
    app: &App,
    mail: &QueuedMail,
    reports: &[DeliveryReport],
    pause: impl Future<Output = ()> + Send,
) -> Result<Delivered, Error> {
    let attempt = AttemptRecord::of(mail, reports);
    let OutcomeBatcher { batcher, batches, .. } = &app.waiting.outcomes;
    let waits = LeaderWaits { linger: pause, permit: batches.acquire() };
    let work = |attempts, permit| async move {
        let stored = store_all(app, attempts).await;
        drop(permit);
        stored
    };
    match batcher.execute_after(mail.organization_id, (attempt, 1), waits, work).await {
        Ok(stored) => stored,
        Err(LeaderDropped) => Err(StoreError::Undecided("the batch of this outcome was cancelled".to_owned()).into()),
    }
}

/// Batcher of outcomes with a shard for each organization.
pub(in crate::app) struct OutcomeBatcher {
    batcher: Batcher<OrganizationId, AttemptRecord, Result<Delivered, Error>>,
    batches: Permits,
    /// Permits of attempts that are stored alone after their batch failed. The limit leaves connections to other
    /// organizations.
    single: Permits,
}

impl Default for OutcomeBatcher {
    fn default() -> Self {
        let batcher = Batcher::new(BATCH_LIMITS);
        Self { batcher, batches: Permits::new(MAX_BATCHES), single: Permits::new(MAX_SINGLE) }
    }
}

/// Stores attempts in one unit of work. When it fails, each attempt is stored alone, so that one failure does not
/// affect the others. While storage is unavailable, the workers retain the outcomes.
async fn store_all(app: &App, attempts: Vec<AttemptRecord>) -> Vec<Result<Delivered, Error>> {
    if let [attempt] = attempts.as_slice() {
        return vec![store_alone(app, attempt).await];
    }
    match record(app, &attempts).await {
        Ok(delivered) => delivered.into_iter().map(Ok).collect(),
        Err(Error::Store(error @ (StoreError::Unavailable(_) | StoreError::Undecided(_)))) => {
            attempts.iter().map(|_| Err(error.clone().into())).collect()
        }
        Err(_) => {
            let store = |attempt| async move {
                let _permit = app.waiting.outcomes.single.acquire().await;
                store_alone(app, attempt).await
            };
            join_all(attempts.iter().map(store)).await
        }
    }
}

async fn store_alone(app: &App, attempt: &AttemptRecord) -> Result<Delivered, Error> {
    let attempt = std::slice::from_ref(attempt);
    let came_between = |error: &Error| is_contention(error) || matches!(error, Error::Store(StoreError::LockTimeout));
    let stored = retried(came_between, || record(app, attempt)).await?.pop();
    stored.ok_or_else(|| Error::Internal("attempt stored without a result".to_owned()))
}
