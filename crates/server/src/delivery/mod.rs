//! Mail leaves the queue. What was handed over is known until it is stored, whatever happens to this process or to the
//! database meanwhile.

mod room;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use inboxd_core::app::{self, App};
use inboxd_core::model::{Claim, Outcome, Outgoing, Unfinished};
use inboxd_core::ports::{StoreError, Transport, WorkJournal};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use self::room::{Place, Room};
use crate::environment::WakeWorkers;
use crate::finishing::{finish, try_to_finish};
use crate::journal::FileJournal;
use crate::serve::Shutdown;

/// How many mails there may be whose outcome cannot be stored, beside those that are being delivered.
const MOST_HELD: usize = 256;
/// How long a worker sleeps when nobody wakes it: another process may have queued a mail, or a retry may be due.
const POLL: Duration = Duration::from_secs(1);
/// How often it is looked for what dead processes left.
const LOOK: Duration = Duration::from_secs(5);
/// How long nothing is claimed after the database was away. A claim may have run out meanwhile whose holder knows what
/// came of it, here or in another process: they go first.
const HOLDERS_FIRST: Duration = Duration::from_secs(3);

/// Delivers queued mail.
#[derive(Clone)]
pub(crate) struct Deliveries {
    pub(crate) app: App,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) journal: Arc<FileJournal>,
    pub(crate) wake: Arc<WakeWorkers>,
    pub(crate) shutdown: Shutdown,
}

impl Deliveries {
    /// Delivers until shutdown; what is on its way then is finished. What other processes left goes first.
    pub(crate) async fn run(mut self) {
        let room = Arc::new(Room::new(self.app.settings.delivers_directly));
        let parallel = room.places();
        let mut running = JoinSet::new();
        self.finish_what_was_left(&mut running).await;
        let mut look = tokio::time::interval_at(Instant::now() + LOOK, LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.shutdown.has_come() {
            let free = if running.len() < parallel + MOST_HELD { room.places() } else { 0 };
            let Some(claimed) = self.claim(free, &room, &mut running).await else { continue };
            let was_full = free > 0 && claimed.len() == free;
            for mail in claimed {
                let place = room.take(&mail);
                running.spawn(self.clone().attempt(mail, place, Arc::clone(&room)));
            }
            if was_full && room.places() > 0 {
                continue;
            }
            tokio::select! {
                () = self.shutdown.comes() => {}
                () = self.wake.outgoing.notified(), if room.places() > 0 => {}
                Some(_) = running.join_next() => {}
                () = tokio::time::sleep(POLL) => {}
                _ = look.tick() => self.take_over(&mut running),
            }
            while running.try_join_next().is_some() {}
        }
        while running.join_next().await.is_some() {}
    }

    /// Finishes what dead processes left. Claims may have run out while nobody was there: what is known of their mails is
    /// stored before these can be claimed anew.
    async fn finish_what_was_left(&mut self, running: &mut JoinSet<()>) {
        let left = self.journal.take_over();
        let finishing = left.iter().map(|work| try_to_finish(&self.app, &self.journal, work));
        let finished = join_all(finishing).await;
        let open: Vec<_> = left.into_iter().zip(finished).filter(|(_, done)| done.is_err()).collect();
        if open.is_empty() {
            return;
        }
        for (work, _) in open {
            running.spawn(self.clone().finish(work));
        }
        self.outlast_outage().await;
    }

    /// Finishes what processes left that died meanwhile.
    fn take_over(&self, running: &mut JoinSet<()>) {
        for work in self.journal.take_over() {
            running.spawn(self.clone().finish(work));
        }
    }

    async fn finish(self, work: Unfinished) {
        finish(self.app, self.journal, work, self.shutdown).await;
    }

    /// Claims what is due; `None` when it could not, after a while.
    async fn claim(&mut self, free: usize, room: &Room, running: &mut JoinSet<()>) -> Option<Vec<Outgoing>> {
        if free == 0 {
            return Some(Vec::new());
        }
        let not_claimed = match app::claim_due_mail(&self.app, self.journal.as_ref(), room.left()).await {
            Ok(claimed) => return Some(claimed),
            Err(not_claimed) => not_claimed,
        };
        tracing::error!(error = %not_claimed.error, "the outgoing queue could not be read");
        for claim in not_claimed.undecided {
            running.spawn(self.clone().finish(Unfinished { claim, outcomes: None }));
        }
        self.rest(POLL).await;
        if matches!(not_claimed.error, StoreError::Unavailable(_) | StoreError::Undecided(_)) {
            self.outlast_outage().await;
        }
        None
    }

    /// Waits until the database is there again, and a little longer.
    async fn outlast_outage(&mut self) {
        while !self.shutdown.has_come() && self.app.store.ready().await.is_err() {
            self.rest(POLL).await;
        }
        self.rest(HOLDERS_FIRST).await;
    }

    async fn rest(&mut self, time: Duration) {
        tokio::select! {
            () = self.shutdown.comes() => {}
            () = tokio::time::sleep(time) => {}
        }
    }

    /// Tries to deliver a mail and stores what came of it. When it cannot be stored, others may have the slot meanwhile.
    async fn attempt(self, mail: Outgoing, place: Place, room: Arc<Room>) {
        let Self { app, transport, journal, shutdown, .. } = self;
        let outgoing_id = mail.outgoing_id;
        let claim = Claim::Mail((&mail).into());
        // One whose size cannot be told now cannot be read now either.
        let size = app::size_of(&app, &mail).await.unwrap_or(0);
        let Some(octets) = room.octets(&mail, size).await else {
            tracing::warn!(%outgoing_id, size, "there was no memory for a mail; it is due again");
            drop((mail, place));
            return finish(app, journal, Unfinished { claim, outcomes: None }, shutdown).await;
        };
        let outcomes = app::attempt_delivery(&app, transport.as_ref(), journal.as_ref(), &mail).await;
        drop(octets);
        match app::settle_delivery(&app, &mail, &outcomes).await {
            Ok(app::Delivered { delivered, bounced, deferred }) => {
                journal.settled(claim);
                let (attempt, reason) = (mail.attempts, reason(&outcomes));
                tracing::info!(%outgoing_id, delivered, bounced, deferred, attempt, reason, "delivery attempted");
            }
            Err(error) => {
                tracing::warn!(%outgoing_id, %error, "a delivery could not be recorded; it is kept until it can be");
                drop((mail, place));
                finish(app, journal, Unfinished { claim, outcomes: Some(outcomes) }, shutdown).await;
            }
        }
    }
}

/// Why a mail has to be tried again.
fn reason(outcomes: &[Outcome]) -> Option<&str> {
    outcomes.iter().find_map(|outcome| match outcome {
        Outcome::Deferred { reason } => Some(reason.as_str()),
        Outcome::Delivered | Outcome::Refused { .. } => None,
    })
}
