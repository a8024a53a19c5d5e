//! Inbound batches: mail of one organization that arrives at the same time is stored in one unit of work.
//!
//! Row locks of one organization must not hold the permits and connections of others. So each unit of work waits for a lock
//! briefly. What was not granted in time is tried again with the permits for contended mail, and deferred after some seconds.

use std::collections::BTreeSet;

use time::Duration;
use uuid::Uuid;

use super::arriving::Arriving;
use super::batch::{Batch, query};
use super::{NotReceived, Stored};
use crate::app::App;
use crate::app::contention::retried;
use crate::app::gathering::Most;
use crate::app::keyed_batcher::KeyedBatcher;
use crate::app::permits::{Permit, Permits};
use crate::ports::{Constraint, LockWait, StoreError};

/// Units of work at the same time. Each has a connection to the database, an organization one of them.
const MAX_BATCHES: usize = 16;
/// Units of work that wait for a permit for contended mail. Beyond it the mail is deferred.
const MAX_CONTENDED_WAITING: usize = 16;
/// Later tries of a mail whose lock was not granted.
const MAX_CONTENDED_TRIES: usize = 20;
/// Time from the first lock that was not granted until a batch is deferred.
const CONTENDED_TIMEOUT: Duration = Duration::seconds(10);

/// What one unit of work stores at most.
const MOST: Most = Most { jobs: 64, weight: 16 * 1024 * 1024 };

/// Gathers arriving mail in a shard for each organization, so that a locked thread delays the mail of its organization only,
/// and two units of work rarely want the same thread, the same count of usage, or the same head of a feed.
pub(in crate::app) struct Intake {
    shards: KeyedBatcher<BTreeSet<Uuid>, Arriving, Stored>,
    /// Permits of batches for one organization.
    batches: Permits,
    /// Permits of batches for several organizations: the locks of one delay no batch for another.
    shared_batches: Permits,
    /// Permits of mail whose lock was not granted.
    contended: Permits,
}

impl Default for Intake {
    fn default() -> Self {
        Self::new(1)
    }
}

impl Intake {
    /// An intake of which at most so many units of work may wait for locks, of each kind.
    pub(in crate::app) fn new(max_lock_waits: usize) -> Self {
        Self {
            shards: KeyedBatcher::new(MOST),
            batches: Permits::new(MAX_BATCHES),
            shared_batches: Permits::new(max_lock_waits),
            contended: Permits::new(max_lock_waits),
        }
    }

    /// Stores a mail together with those that come while others are stored.
    pub(super) async fn store(&self, app: &App, mail: Arriving) -> Stored {
        // A mail to several organizations is not in the shard of any: the locks of one must not delay another.
        let organizations: BTreeSet<_> = mail.inboxes().map(|inbox| inbox.organization_id.0).collect();
        let permits = if organizations.len() > 1 { &self.shared_batches } else { &self.batches };
        let weight = mail.weight();
        let work = |mails, permit| self.store_each(app, mails, permit);
        let stored = self.shards.execute(organizations, (mail, weight), permits.acquire(), work).await;
        stored.unwrap_or_else(|_| {
            let cause = "whoever stored this mail with others was stopped".to_owned();
            Err(NotReceived::Store(StoreError::Undecided(cause)))
        })
    }

    /// Stores mails in one unit of work. Where that fails because of one of them, each is done alone, so that it costs no other
    /// its place.
    async fn store_each(&self, app: &App, mails: Vec<Arriving>, mut permit: Option<Permit>) -> Vec<Stored> {
        if mails.len() > 1 {
            match store(app, &mails, LockWait::Brief).await {
                Ok(stored) => return stored,
                Err(error @ (StoreError::Unavailable(_) | StoreError::Undecided(_))) => {
                    return mails.iter().map(|_| Err(NotReceived::Store(error.clone()))).collect();
                }
                Err(StoreError::LockTimeout) => permit = None,
                Err(StoreError::Contention | StoreError::Duplicate(_) | StoreError::Failed(_)) => {}
            }
        }
        let deadline = app.clock.now() + CONTENDED_TIMEOUT;
        let mut stored = Vec::with_capacity(mails.len());
        for mail in &mails {
            stored.push(self.store_alone(app, mail, LockWait::Brief, &mut permit).await);
        }
        for _ in 0..MAX_CONTENDED_TRIES {
            let contended = mails.iter().zip(&mut stored).filter(|(_, stored)| is_lock_timeout(stored));
            let mut is_tried = false;
            for (mail, stored) in contended {
                if app.clock.now() < deadline {
                    is_tried = true;
                    *stored = self.store_alone(app, mail, LockWait::Patient, &mut permit).await;
                }
            }
            if !is_tried {
                break;
            }
        }
        stored
    }

    /// Stores one mail. The permit lasts until a lock is not granted; then the next mail needs one for contended mail.
    async fn store_alone(
        &self,
        app: &App,
        mail: &Arriving,
        lock_wait: LockWait,
        permit: &mut Option<Permit>,
    ) -> Stored {
        if permit.is_none() {
            *permit = self.contended.acquire_behind(MAX_CONTENDED_WAITING).await;
        }
        if permit.is_none() {
            return Err(NotReceived::Store(StoreError::LockTimeout));
        }
        // A copy of this very mail, or another change of its thread, may be stored between our look and our write.
        let came_between =
            |error: &StoreError| matches!(error, StoreError::Contention | StoreError::Duplicate(Constraint::MessageId));
        match retried(came_between, || store(app, std::slice::from_ref(mail), lock_wait)).await {
            Ok(mut stored) => stored.pop().unwrap_or_else(|| Ok(Vec::new())),
            Err(error) => {
                if error == StoreError::LockTimeout {
                    *permit = None;
                }
                Err(error.into())
            }
        }
    }
}

fn is_lock_timeout(stored: &Stored) -> bool {
    matches!(stored, Err(NotReceived::Store(StoreError::LockTimeout)))
}

/// Stores mails in one unit of work, and answers each of them.
async fn store(app: &App, mails: &[Arriving], lock_wait: LockWait) -> Result<Vec<Stored>, StoreError> {
    let mut tx = app.store.begin_within(lock_wait).await?;
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
