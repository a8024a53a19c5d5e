//! Mails that come at the same time are stored together, in one unit of work.

use super::arriving::Arriving;
use super::batch::{Batch, query};
use super::{NotReceived, Stored};
use crate::app::App;
use crate::app::contention::retried;
use crate::app::gathering::{Gathering, Most};
use crate::ports::{Constraint, StoreError};

/// How many units of work are under way at most: while one waits for its commit, the next is made. More of them would
/// only be smaller.
const LANES: usize = 2;

/// What one unit of work stores at most.
const MOST: Most = Most { jobs: 64, weight: 16 * 1024 * 1024 };

/// Gathers arriving mail. The mail of an organization is in one lane, so that two units of work rarely want the same thread,
/// the same count of usage, or the same head of a feed.
pub(in crate::app) struct Intake(Gathering<Arriving, Stored>);

impl Default for Intake {
    fn default() -> Self {
        Self(Gathering::new(LANES, MOST))
    }
}

impl Intake {
    /// Stores a mail together with those that come while others are stored.
    pub(super) async fn store(&self, app: &App, mail: Arriving) -> Stored {
        let organization_id = mail.inboxes().next().map(|inbox| inbox.organization_id.0);
        let weight = mail.weight();
        let stored = self.0.ask(&organization_id, mail, weight, |mails| store_each(app, mails)).await;
        stored.unwrap_or_else(|_| {
            let cause = "whoever stored this mail with others was stopped".to_owned();
            Err(NotReceived::Store(StoreError::Undecided(cause)))
        })
    }
}

/// Stores mails in one unit of work. Where that fails because of one of them, each is done alone, so that it costs no other
/// its place.
async fn store_each(app: &App, mails: Vec<Arriving>) -> Vec<Stored> {
    if mails.len() > 1 {
        match store(app, &mails).await {
            Ok(stored) => return stored,
            Err(error @ (StoreError::Unavailable(_) | StoreError::Undecided(_))) => {
                return mails.iter().map(|_| Err(NotReceived::Store(error.clone()))).collect();
            }
            Err(StoreError::Contention | StoreError::Duplicate(_) | StoreError::Failed(_)) => {}
        }
    }
    let mut stored = Vec::with_capacity(mails.len());
    for mail in &mails {
        stored.push(store_alone(app, mail).await);
    }
    stored
}

async fn store_alone(app: &App, mail: &Arriving) -> Stored {
    // A copy of this very mail, or another change of its thread, may be stored between our look and our write.
    let came_between =
        |error: &StoreError| matches!(error, StoreError::Contention | StoreError::Duplicate(Constraint::MessageId));
    let mut stored = retried(came_between, || store(app, std::slice::from_ref(mail))).await?;
    stored.pop().unwrap_or_else(|| Ok(Vec::new()))
}

/// Stores mails in one unit of work, and answers each of them.
async fn store(app: &App, mails: &[Arriving]) -> Result<Vec<Stored>, StoreError> {
    let mut tx = app.store.begin().await?;
    let found = tx.arrivals().look_up(&query(app, mails)).await?;
    let mut batch = Batch::new(app, found);
    let answered = batch.threads_of(mails);
    if !answered.is_empty() {
        batch.take_threads(tx.threads().lock_across(&answered).await?);
    }
    let stored = mails.iter().map(|mail| batch.file(mail)).collect();
    let new = batch.finish();
    if !new.messages.is_empty() {
        tx.commit_with(&new).await?;
    }
    Ok(stored)
}
