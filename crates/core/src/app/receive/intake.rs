//! Mails that come at the same time are stored together, in one unit of work.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::arriving::Arriving;
use super::batch::{Batch, query};
use super::{NotReceived, Stored};
use crate::app::App;
use crate::app::contention::retried;
use crate::app::gathering::Most;
use crate::app::keyed_batcher::KeyedBatcher;
use crate::ports::{Constraint, StoreError};

/// How many units of work run at most; each has a connection to the database. An organization has one of them.
const MAX_BATCHES: usize = 16;

/// What one unit of work stores at most.
const MOST: Most = Most { jobs: 64, weight: 16 * 1024 * 1024 };

/// Gathers arriving mail in a shard for each organization, so that a locked thread delays the mail of its organization only,
/// and two units of work rarely want the same thread, the same count of usage, or the same head of a feed.
pub(in crate::app) struct Intake(KeyedBatcher<BTreeSet<Uuid>, Arriving, Stored>);

impl Default for Intake {
    fn default() -> Self {
        Self(KeyedBatcher::new(MAX_BATCHES, MOST))
    }
}

impl Intake {
    /// Stores a mail together with those that come while others are stored.
    pub(super) async fn store(&self, app: &App, mail: Arriving) -> Stored {
        // A mail to several organizations is not in the shard of any: the locks of one must not delay another.
        let organizations = mail.inboxes().map(|inbox| inbox.organization_id.0).collect();
        let weight = mail.weight();
        let stored = self.0.execute(organizations, mail, weight, |mails| store_each(app, mails)).await;
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
