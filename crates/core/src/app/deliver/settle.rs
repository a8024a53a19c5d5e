//! Storing what came of attempts: those that wait for it together.

use futures_util::future::join_all;
use inboxd_mail::EmailAddress;

use super::record::record;
use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::app::gathering::{Abandoned, Gathering, Most};
use crate::app::permits::Permits;
use crate::model::{Outcome, Outgoing};
use crate::ports::StoreError;

/// How many units of work there may be at a time. Organizations share them by chance.
const LANES: usize = 64;
/// How many attempts one unit of work stores.
const MOST: Most = Most { jobs: 64, weight: 64 };
/// Attempts that are stored alone at the same time after their batch failed.
const MAX_SINGLE: usize = 4;

/// What came of one attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Recipients whose server took the mail.
    pub delivered: usize,
    /// Recipients that refused it for good.
    pub bounced: usize,
    /// Recipients that will be tried again.
    pub deferred: usize,
}

/// Stores what came of an attempt, an outcome for each recipient in their order, with its events and suppressions in one
/// unit of work; with it what came of others that wait as well. Whoever finds something being stored waits for that, and lets
/// a `pause` pass before it is their turn: nobody waits for them, and what is stored together costs least.
///
/// # Errors
/// [`Error::Store`]; what is known must then be [kept and stored later](super::finish), for the mail is out.
pub async fn settle_delivery(
    app: &App,
    mail: &Outgoing,
    outcomes: &[Outcome],
    pause: impl Future<Output = ()> + Send,
) -> Result<Delivered, Error> {
    let attempt = Attempt { mail: mail.clone(), sorted: Sorted::of(&mail.recipients, outcomes) };
    let lane = mail.organization_id.0;
    let lanes = &app.waiting.settlements.lanes;
    match lanes.ask_with_pause(&lane, attempt, 1, pause, |attempts| settle_all(app, attempts)).await {
        Ok(answer) => answer,
        Err(Abandoned) => Err(StoreError::Undecided("whoever was storing it has gone".to_owned()).into()),
    }
}

/// What came of attempts and waits to be stored. All workers of a process have the same one.
pub(in crate::app) struct Settlements {
    lanes: Gathering<Attempt, Result<Delivered, Error>>,
    /// Permits of attempts that are stored alone after their batch failed: the locks of one organization leave connections to
    /// others.
    single: Permits,
}

impl Default for Settlements {
    fn default() -> Self {
        Self { lanes: Gathering::new(LANES, MOST), single: Permits::new(MAX_SINGLE) }
    }
}

/// An attempt, and what came of it.
pub(super) struct Attempt {
    pub(super) mail: Outgoing,
    pub(super) sorted: Sorted,
}

/// The recipients of an attempt by what became of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Sorted {
    pub(super) delivered: Vec<EmailAddress>,
    pub(super) refused: Vec<(EmailAddress, String)>,
    pub(super) deferred: Vec<EmailAddress>,
}

impl Sorted {
    fn of(recipients: &[EmailAddress], outcomes: &[Outcome]) -> Self {
        let mut sorted = Self::default();
        for (recipient, outcome) in recipients.iter().cloned().zip(outcomes) {
            match outcome {
                Outcome::Delivered => sorted.delivered.push(recipient),
                Outcome::Refused { status, .. } => sorted.refused.push((recipient, status.clone())),
                Outcome::Deferred { .. } => sorted.deferred.push(recipient),
            }
        }
        sorted
    }
}

/// Stores attempts in one unit of work. When that fails, each is stored as if it had come alone, so that none costs others
/// their place; while storage is away, it is for their workers to keep them.
async fn settle_all(app: &App, attempts: Vec<Attempt>) -> Vec<Result<Delivered, Error>> {
    if let [attempt] = attempts.as_slice() {
        return vec![settle_alone(app, attempt).await];
    }
    match record(app, &attempts).await {
        Ok(delivered) => delivered.into_iter().map(Ok).collect(),
        Err(Error::Store(error @ (StoreError::Unavailable(_) | StoreError::Undecided(_)))) => {
            attempts.iter().map(|_| Err(error.clone().into())).collect()
        }
        Err(_) => {
            let settle = |attempt| async move {
                let _permit = app.waiting.settlements.single.acquire().await;
                settle_alone(app, attempt).await
            };
            join_all(attempts.iter().map(settle)).await
        }
    }
}

async fn settle_alone(app: &App, attempt: &Attempt) -> Result<Delivered, Error> {
    let attempt = std::slice::from_ref(attempt);
    let came_between = |error: &Error| is_contention(error) || matches!(error, Error::Store(StoreError::LockTimeout));
    let settled = retried(came_between, || record(app, attempt)).await?.pop();
    settled.ok_or_else(|| Error::Internal("an attempt was stored without an answer".to_owned()))
}
