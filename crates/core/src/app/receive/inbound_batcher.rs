//! Inbound batches: mail of one organization that arrives at the same time is stored in one unit of work.
//!
//! Row locks of one organization must not block the permits and connections of others, so each unit of work waits only
//! briefly for a lock. After a lock timeout the mail is tried again with the permits for contended mail, and deferred
//! after ten seconds.

use std::collections::BTreeSet;
use std::future::ready;

use inboxd_batcher::{BatchLimits, Batcher, LeaderDropped, LeaderWaits};
use time::Duration;
use uuid::Uuid;

use super::arriving::Arriving;
use super::store_batch::store_batch;
use super::{NotReceived, Stored};
use crate::app::App;
use crate::app::contention::retried;
use crate::app::permits::{Permit, Permits};
use crate::ports::{Constraint, LockWait, StoreError};

/// Maximum of concurrent units of work. Each uses one database connection, and an organization has one unit at most.
const MAX_BATCHES: usize = 16;
/// Maximum of units of work that wait for a permit for contended mail. Beyond it the mail is deferred.
const MAX_CONTENDED_WAITING: usize = 16;
/// Maximum of retries of a mail after a lock timeout.
const MAX_CONTENDED_TRIES: usize = 20;
/// Time from the first lock timeout until a batch is deferred.
const CONTENDED_TIMEOUT: Duration = Duration::seconds(10);

/// Maximum of mails and bytes in one unit of work.
const BATCH_LIMITS: BatchLimits = BatchLimits { jobs: 64, weight: 16 * 1024 * 1024 };

/// Batcher of inbound mail with a shard for each organization. A locked thread delays only the mail of its
/// organization, and two units of work rarely lock the same thread, usage row or feed head.
pub(in crate::app) struct InboundBatcher {
    batcher: Batcher<BTreeSet<Uuid>, Arriving, Stored>,
    /// Permits of batches for one organization.
    batches: Permits,
    /// Permits of batches for several organizations, so that the locks of one delay no other batch.
    shared_batches: Permits,
    /// Permits of mail after a lock timeout.
    contended: Permits,
}

impl Default for InboundBatcher {
    fn default() -> Self {
        Self::new(1)
    }
}

impl InboundBatcher {
    /// Creates a batcher in which at most `max_lock_waits` units of work of each kind wait for locks.
    pub(in crate::app) fn new(max_lock_waits: usize) -> Self {
        Self {
            batcher: Batcher::new(BATCH_LIMITS),
            batches: Permits::new(MAX_BATCHES),
            shared_batches: Permits::new(max_lock_waits),
            contended: Permits::new(max_lock_waits),
        }
    }

    /// Stores a mail in one unit of work with mail that arrives during the previous one.
    pub(super) async fn store(&self, app: &App, mail: Arriving) -> Stored {
        // Mail to several organizations belongs to no organization's shard, because the locks of one must not delay
        // another.
        let organizations: BTreeSet<_> = mail.inboxes().map(|inbox| inbox.organization_id.0).collect();
        let permits = if organizations.len() > 1 { &self.shared_batches } else { &self.batches };
        let weight = mail.weight();
        let waits = LeaderWaits { linger: ready(()), permit: permits.acquire() };
        let work = |mails, permit| self.store_each(app, mails, permit);
        let stored = self.batcher.execute_after(organizations, (mail, weight), waits, work).await;
        stored.unwrap_or_else(|LeaderDropped| {
            let cause = "the batch of this mail was cancelled".to_owned();
            Err(NotReceived::Store(StoreError::Undecided(cause)))
        })
    }

    /// Stores mails in one unit of work. When it fails, each mail is stored alone, so that one failure does not affect
    /// the others.
    async fn store_each(&self, app: &App, mails: Vec<Arriving>, mut permit: Option<Permit>) -> Vec<Stored> {
        if mails.len() > 1 {
            match store_batch(app, &mails, LockWait::Brief).await {
                Ok(stored) => return stored,
                Err(error @ (StoreError::Unavailable(_) | StoreError::Undecided(_))) => {
                    return mails.iter().map(|_| Err(NotReceived::Store(error.clone()))).collect();
                }
                Err(StoreError::LockTimeout) => permit = None,
                Err(
                    StoreError::Contention
                    | StoreError::Duplicate(_)
                    | StoreError::ContentUnavailable(_)
                    | StoreError::ContentLost(_)
                    | StoreError::Failed(_),
                ) => {}
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

    /// Stores one mail. The permit lasts until a lock timeout; the next mail then needs one for contended mail.
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
        // Another unit of work may store a copy of this mail, or change its thread, between our reads and our write.
        let came_between =
            |error: &StoreError| matches!(error, StoreError::Contention | StoreError::Duplicate(Constraint::MessageId));
        match retried(came_between, || store_batch(app, std::slice::from_ref(mail), lock_wait)).await {
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
