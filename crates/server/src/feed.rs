//! What makes the feed move: events that were committed without get their places, every process is told that there is
//! something to read, and what has become old enough goes.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Fuse, FusedFuture};
use inboxd_core::app::App;
use inboxd_core::app::feed;
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::{Sequenced, Signal, Signals as _};
use inboxd_postgres::PgStore;
use inboxd_postgres::partitions::{self, Kept};
use time::OffsetDateTime;
use tokio::time::Instant;

use crate::serve::Shutdown;

/// How often a worker looks for events that nobody gave a place: the process that committed them may be gone.
const LOOK: Duration = Duration::from_secs(1);
/// How many organizations get places in one statement.
const AT_ONCE: usize = 10;
/// How long events wait for a commit of their organization that gives them places beside its own, and how much time passes
/// at least from the beginning of one such statement to the next.
const PAUSE: Duration = Duration::from_millis(4);
/// How many organizations such a look takes at a time.
const ORGANIZATIONS: u32 = 100;
/// How long it takes until listening is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// How often the weeks are looked after.
const WEEKS: Duration = Duration::from_hours(1);
/// How long it takes until making weeks is tried again.
const RETRY_DELAY: Duration = Duration::from_mins(1);
/// How often the clock is compared with the one before.
const CLOCK_INTERVAL: Duration = Duration::from_secs(1);

/// Tells those who wait of the events that this process commits, gives places to those that were committed without, and tells
/// every process that somebody's rights have changed. A worker gives places for those who have died as well.
///
/// Whoever has a place is told of at once. All else waits a moment: a commit may take such events along, and however much there
/// is, it is done some hundred times a second and no more. What could not be given places is tried again each second.
pub(crate) async fn tell(app: App, store: Arc<PgStore>, is_worker: bool, mut shutdown: Shutdown) {
    let (mut left, mut failed) = (Left::default(), Vec::new());
    let mut looks = tokio::time::interval(LOOK);
    let (mut doing, mut looking) = (pin!(Fuse::terminated()), pin!(Fuse::terminated()));
    loop {
        if doing.is_terminated() && !left.is_empty() {
            doing.set(soon(&app, &store, std::mem::take(&mut left)).fuse());
        }
        tokio::select! {
            () = shutdown.comes() => break,
            again = &mut doing => failed.extend(again),
            _ = looks.tick(), if looking.is_terminated() => looking.set(look(&app, &store, is_worker).fuse()),
            found = &mut looking => left.unplaced.extend(failed.drain(..).chain(found)),
            committed = store.committed() => left.add(committed.signals, hand_out(&app, &store, committed.placed)),
        }
    }
    if !doing.is_terminated() {
        doing.await;
    }
    send(&store, left.signals).await;
}

/// What is still to be done of what was committed.
#[derive(Default)]
struct Left {
    /// Organizations with events that have no place.
    unplaced: BTreeSet<OrganizationId>,
    /// What other processes are to be told.
    signals: BTreeSet<Signal>,
}

impl Left {
    fn is_empty(&self) -> bool {
        self.unplaced.is_empty() && self.signals.is_empty()
    }

    /// Adds what a commit left, and of which organizations others are to be told.
    fn add(&mut self, committed: BTreeSet<Signal>, grown: BTreeSet<OrganizationId>) {
        self.signals.extend(grown.into_iter().map(Signal::Feed));
        for signal in committed {
            match signal {
                Signal::Feed(organization_id) => drop(self.unplaced.insert(organization_id)),
                Signal::Access(_) => drop(self.signals.insert(signal)),
                Signal::Lost => {}
            }
        }
    }
}

/// Tells other processes, and gives places to what no commit has taken along meanwhile. Answers whose events are to be tried
/// again.
async fn soon(app: &App, store: &PgStore, left: Left) -> Vec<OrganizationId> {
    let next = Instant::now() + PAUSE;
    send(store, left.signals).await;
    tokio::time::sleep_until(next).await;
    place_all(app, left.unplaced).await
}

/// Tells of what is left when nothing more is committed: the end of [`tell`], once everything else has stopped.
pub(crate) async fn tell_the_rest(app: &App, store: &PgStore) {
    let mut left = Left::default();
    let committed = store.committed_now();
    left.add(committed.signals, hand_out(app, store, committed.placed));
    send(store, left.signals).await;
    left.unplaced.extend(unplaced(app).await);
    place_all(app, left.unplaced).await;
}

/// Looks for who listens, and answers what a worker finds to do.
async fn look(app: &App, store: &PgStore, is_worker: bool) -> Vec<OrganizationId> {
    if let Err(error) = store.look_for_others().await {
        tracing::warn!(%error, "it could not be looked for other processes");
    }
    if is_worker { unplaced(app).await } else { Vec::new() }
}

/// Tells those who wait here of events that had their places with their commits. Answers of which organizations others are to
/// be told, if there are any.
fn hand_out(app: &App, store: &PgStore, placed: Vec<Sequenced>) -> BTreeSet<OrganizationId> {
    let organizations = placed.iter().map(|placed| placed.organization_id).collect();
    for sequenced in placed {
        app.wake.placed(sequenced);
    }
    if store.has_others() { organizations } else { BTreeSet::new() }
}

/// Sends signals to every process. Those who wait look for themselves after a while.
async fn send(store: &PgStore, signals: BTreeSet<Signal>) {
    if signals.is_empty() {
        return;
    }
    let signals: Vec<Signal> = signals.into_iter().collect();
    if let Err(error) = store.send_signals(&signals).await {
        tracing::warn!(%error, "other processes could not be told of what has changed");
    }
}

/// Gives the events of organizations their places. Answers whose are to be tried again.
async fn place_all(app: &App, organizations: BTreeSet<OrganizationId>) -> Vec<OrganizationId> {
    let organizations: Vec<OrganizationId> = organizations.into_iter().collect();
    let mut left = Vec::new();
    for some in organizations.chunks(AT_ONCE) {
        left.extend(place(app, some).await);
    }
    left
}

/// Gives the events of these organizations their places, and answers whose are to be tried again. Where it fails for all of
/// them, each is tried by itself, so that one does not hold up the others.
async fn place(app: &App, some: &[OrganizationId]) -> Vec<OrganizationId> {
    let mut left = Vec::new();
    if feed::sequence(app, some).await.is_ok() {
        return left;
    }
    for organization_id in some {
        if let Err(error) = feed::sequence(app, &[*organization_id]).await {
            tracing::warn!(%organization_id, %error, "events could not be given their places; it is tried again");
            left.push(*organization_id);
        }
    }
    left
}

async fn unplaced(app: &App) -> Vec<OrganizationId> {
    app.store.unsequenced(ORGANIZATIONS).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "it could not be looked for events without a place; it is tried again");
        Vec::new()
    })
}

/// Hears what other processes tell until shutdown.
pub(crate) async fn listen(store: Arc<PgStore>, url: String, hear: impl Fn(Signal), mut shutdown: Shutdown) {
    let hear = |signal| {
        tracing::debug!(?signal, "heard from a process");
        hear(signal);
    };
    loop {
        let ended = tokio::select! {
            () = shutdown.comes() => return,
            ended = store.listen(&url, &hear) => ended,
        };
        if let Err(error) = ended {
            tracing::warn!(%error, "what other processes tell is not heard; listening again");
        }
        tokio::select! {
            () = shutdown.comes() => return,
            () = tokio::time::sleep(AGAIN) => {}
        }
    }
}

/// Makes the tables of the weeks ahead until shutdown; a worker, who knows how long they are kept, drops those that
/// are old enough.
pub(crate) async fn keep_weeks(app: App, url: String, retention: Option<time::Duration>, mut shutdown: Shutdown) {
    loop {
        let now = app.clock.now();
        let made = partitions::make_weeks_ahead(&url, now).await;
        if let Err(error) = &made {
            tracing::error!(%error, retry_in = ?RETRY_DELAY, "week partitions not created");
        }
        if let Some(retention) = retention {
            drop_weeks(&url, Kept::Events, now, retention).await;
        }
        let until = Instant::now() + if made.is_ok() { WEEKS } else { RETRY_DELAY };
        // Events of a clock that jumps have no partition until it is made for them.
        while Instant::now() < until && is_near(app.clock.now(), now) {
            tokio::select! {
                () = shutdown.comes() => return,
                () = tokio::time::sleep(CLOCK_INTERVAL) => {}
            }
        }
    }
}

/// Whether a clock went on from a time without a jump, as far as weeks are concerned.
fn is_near(now: OffsetDateTime, before: OffsetDateTime) -> bool {
    (now - before).abs() < time::Duration::DAY
}

async fn drop_weeks(url: &str, kept: Kept, now: OffsetDateTime, age: time::Duration) {
    match partitions::drop_weeks(url, kept, now, age).await {
        Ok(dropped) if dropped.is_empty() => {}
        Ok(dropped) => tracing::info!(tables = dropped.join(", "), "dropped what is older than it is kept"),
        Err(error) => tracing::error!(%error, "what is old could not be dropped; it is tried again within the hour"),
    }
}
