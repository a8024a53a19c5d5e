//! Mail leaves the queue. What was handed over is known until it is stored, whatever happens to this process or to the
//! database meanwhile.

mod courier;
mod recalls;
mod room;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt};
use inboxd_core::app::{self, App, processes};
use inboxd_core::model::{Claim, Outcome, Outgoing, Unfinished};
use inboxd_core::ports::{Courier, StoreError, Transport, WorkJournal};
use inboxd_postgres::PgStore;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use self::courier::{Express, Left};
use self::recalls::Recalls;
use self::room::{Place, Room};
use crate::environment::WakeWorkers;
use crate::finishing::{finish, try_to_finish};
use crate::heartbeat::Heartbeat;
use crate::journal::FileJournal;
use crate::serve::Shutdown;

/// How long what came of attempts waits for more of it, while an organization has much.
const PAUSE: Duration = Duration::from_millis(5);
/// How many mails there may be whose outcome cannot be stored, beside those that are being delivered.
const MOST_HELD: usize = 256;
/// How many messages of silent processes are finished at a time: they share the connections of the workers.
const TAKEOVER_LIMIT: usize = 8;
/// How long a worker sleeps when nobody wakes it: another process may have queued a mail, or a retry may be due.
const POLL: Duration = Duration::from_secs(1);
/// How often it is looked for what dead processes left.
const LOOK: Duration = Duration::from_secs(5);
/// How long nothing is claimed after the database was away. A claim may have run out meanwhile whose holder knows what
/// came of it, here or in another process: they go first.
const HOLDERS_FIRST: Duration = Duration::from_secs(3);

/// What part of all places has to be free before it is looked again into a queue that had more than there was room for: to
/// look costs about the same for one mail as for many.
const LOOK_FOR_PART: usize = 4;

/// A worker that has not begun, and the way on which mail comes to it that leaves as soon as it is queued.
pub(crate) struct Worker {
    express: Arc<Express>,
    leaving: UnboundedReceiver<Left>,
    room: Arc<Room>,
    recalls: Arc<Recalls>,
    journal: Arc<FileJournal>,
}

impl Worker {
    /// A worker with an empty room.
    pub(crate) fn new(journal: Arc<FileJournal>, delivers_directly: bool) -> Self {
        let room = Arc::new(Room::new(delivers_directly));
        let recalls = Arc::new(Recalls::default());
        let (express, leaving) = Express::new(Arc::clone(&room), Arc::clone(&recalls), Arc::clone(&journal));
        Self { express: Arc::new(express), leaving, room, recalls, journal }
    }

    /// Who takes mail to it.
    pub(crate) fn courier(&self) -> Arc<dyn Courier> {
        Arc::clone(&self.express) as Arc<dyn Courier>
    }

    /// Returns a function that recalls the mail in hand.
    pub(crate) fn recall(&self) -> impl Fn() + Send + Sync + 'static {
        let recalls = Arc::clone(&self.recalls);
        move || {
            let mails = recalls.recall_all();
            if mails > 0 {
                tracing::warn!(mails, "mail in hand recalled");
            }
        }
    }

    /// Delivers until shutdown; what is on its way then is finished. What other processes left goes first.
    pub(crate) async fn run(
        self,
        (app, store): (App, Arc<PgStore>),
        transport: Arc<dyn Transport>,
        heartbeat: Arc<Heartbeat>,
        wake: Arc<WakeWorkers>,
        shutdown: Shutdown,
    ) {
        let Self { express, leaving, room, recalls, journal } = self;
        let deliveries =
            Deliveries { app, transport, journal, heartbeat, wake, shutdown, room, recalls: Arc::clone(&recalls) };
        tokio::select! {
            () = deliveries.run(&express, leaving) => {}
            () = recalls.watch(&store) => {}
        }
    }

    /// Reads what is held, before anything can leave.
    pub(crate) async fn look_at_holds(&self, store: &PgStore) -> Result<(), StoreError> {
        self.recalls.look(store).await
    }
}

/// Delivers queued mail.
#[derive(Clone)]
struct Deliveries {
    app: App,
    transport: Arc<dyn Transport>,
    journal: Arc<FileJournal>,
    heartbeat: Arc<Heartbeat>,
    wake: Arc<WakeWorkers>,
    shutdown: Shutdown,
    room: Arc<Room>,
    recalls: Arc<Recalls>,
}

impl Deliveries {
    async fn run(mut self, express: &Express, mut leaving: UnboundedReceiver<Left>) {
        let all = self.room.places();
        let mut running = JoinSet::new();
        self.finish_what_was_left(&mut running).await;
        let mut look = tokio::time::interval_at(Instant::now() + LOOK, LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut poll = tokio::time::interval(POLL);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Whether somebody may wait in the queue.
        let mut is_waiting = true;
        while !self.shutdown.has_come() {
            if is_waiting && self.room.places() >= all / LOOK_FOR_PART {
                is_waiting = self.take_from_queue(all, &mut running).await;
            }
            tokio::select! {
                () = self.shutdown.comes() => {}
                Some(left) = leaving.recv() => self.take(left, &mut running),
                () = self.wake.outgoing.notified() => {
                    self.room.shut();
                    is_waiting = true;
                }
                Some(_) = running.join_next() => {}
                _ = poll.tick() => is_waiting = self.take_from_queue(all, &mut running).await,
                _ = look.tick() => self.take_over(&mut running),
            }
            while running.try_join_next().is_some() {}
        }
        express.close();
        while let Some(left) = leaving.recv().await {
            self.take(left, &mut running);
        }
        while running.join_next().await.is_some() {}
    }

    /// Takes what is due from the queue, as far as there is room. Answers whether more may wait there; otherwise what is
    /// queued from now on may leave at once.
    async fn take_from_queue(&mut self, all: usize, running: &mut JoinSet<()>) -> bool {
        self.room.shut();
        let free = if running.len() < all + MOST_HELD { self.room.places() } else { 0 };
        let Some(claimed) = self.claim(free, running).await else { return true };
        let is_more = claimed.len() == free;
        for mail in claimed {
            let place = self.room.take(&mail);
            running.spawn(self.clone().attempt(mail, None, place));
        }
        if !is_more {
            self.room.open();
        }
        is_more
    }

    /// Takes what leaves as soon as it is queued.
    fn take(&self, left: Left, running: &mut JoinSet<()>) {
        match left {
            Left::Mail { mail, raw, place } => running.spawn(self.clone().attempt(*mail, Some(raw), place)),
            Left::Claim(claim) => running.spawn(self.clone().finish(Unfinished { claim, outcomes: None })),
        };
    }

    /// Finishes what dead processes left. Claims may have run out while nobody was there: what is known of their mails is
    /// stored before these can be claimed anew.
    async fn finish_what_was_left(&mut self, running: &mut JoinSet<()>) {
        let left = self.journal.take_over();
        running.spawn(self.clone().take_over_claims());
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
        running.spawn(self.clone().take_over_claims());
    }

    /// Takes over the claims of processes that are known to be dead by their journals or heartbeats.
    async fn take_over_claims(self) {
        let ended = self.journal.take_ended();
        // Their journals say more of their mail than their heartbeats.
        self.heartbeat.forget(&ended);
        while !ended.is_empty() && !self.shutdown.has_come() {
            match processes::release_ended(&self.app, &ended).await {
                Ok(claims) => {
                    tracing::info!(processes = ended.len(), claims, "claims of ended processes released");
                    break;
                }
                Err(error) => tracing::warn!(%error, "claims of ended processes not released"),
            }
            self.clone().rest(POLL).await;
        }
        let silent = self.heartbeat.silent();
        if silent.is_empty() {
            return;
        }
        match processes::take_over(&self.app, self.journal.as_ref(), &silent).await {
            Ok(left) => {
                self.heartbeat.forget(&silent);
                tracing::info!(processes = silent.len(), works = left.len(), "claims of silent processes taken over");
                stream::iter(left).for_each_concurrent(TAKEOVER_LIMIT, |work| self.clone().finish(work)).await;
            }
            Err(error) => tracing::warn!(%error, "claims of silent processes not taken over"),
        }
    }

    async fn finish(self, work: Unfinished) {
        finish(self.app, self.journal, work, self.shutdown).await;
    }

    /// Claims what is due; `None` when it could not, after a while.
    async fn claim(&mut self, free: usize, running: &mut JoinSet<()>) -> Option<Vec<Outgoing>> {
        if free == 0 {
            return Some(Vec::new());
        }
        let not_claimed = match app::claim_due_mail(&self.app, self.journal.as_ref(), self.room.left()).await {
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
    /// Octets that are at hand are few.
    async fn attempt(self, mail: Outgoing, at_hand: Option<Vec<u8>>, place: Place) {
        let Self { app, transport, journal, shutdown, room, recalls, .. } = self;
        let in_hand = recalls.take(&mail);
        let outgoing_id = mail.outgoing_id;
        let claim = Claim::Mail((&mail).into());
        let size = match &at_hand {
            Some(_) => 0,
            // One whose size cannot be told now cannot be read now either.
            None => app::size_of(&app, &mail).await.unwrap_or(0),
        };
        let Some(octets) = room.octets(&mail, size).await else {
            tracing::warn!(%outgoing_id, size, "there was no memory for a mail; it is due again");
            drop((mail, place));
            return finish(app, journal, Unfinished { claim, outcomes: None }, shutdown).await;
        };
        let recall = &in_hand.recall;
        if recall.is_recalled() {
            tracing::info!(%outgoing_id, "mail held back");
            drop((mail, place));
            return finish(app, journal, Unfinished { claim, outcomes: None }, shutdown).await;
        }
        let outcomes = app::attempt_delivery(&app, transport.as_ref(), journal.as_ref(), &mail, at_hand, recall).await;
        drop(octets);
        let is_deferred = |outcome: &Outcome| matches!(outcome, Outcome::Deferred { .. });
        if recall.is_recalled() && outcomes.iter().all(is_deferred) {
            tracing::info!(%outgoing_id, "mail held back");
            drop((mail, place));
            return finish(app, journal, Unfinished { claim, outcomes: None }, shutdown).await;
        }
        // It begins when somebody waits for it.
        let pause = async { tokio::time::sleep(PAUSE).await };
        match app::settle_delivery(&app, &mail, &outcomes, pause).await {
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
