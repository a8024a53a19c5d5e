//! What makes the feed move: events that were committed without get their places, every process is told that there is
//! something to read, and what has become old enough goes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::App;
use inboxd_core::app::feed;
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::{Sequenced, Signal, Signals as _};
use inboxd_postgres::partitions::{self, Kept};
use inboxd_postgres::{Committed, PgStore};
use time::OffsetDateTime;
use tokio::time::Instant;

use crate::serve::Shutdown;

/// How often a worker looks for events that nobody gave a place: the process that committed them may be gone.
const LOOK: Duration = Duration::from_secs(1);
/// How many organizations get places in one statement.
const AT_ONCE: usize = 10;
/// How much time passes at least from the beginning of one such statement to the next.
const PAUSE: Duration = Duration::from_millis(4);
/// How many organizations such a look takes at a time.
const ORGANIZATIONS: u32 = 100;
/// How long it takes until listening is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// How often the weeks are looked after.
const WEEKS: Duration = Duration::from_hours(1);

/// Gives the events that this process commits their places until shutdown, and tells every process that somebody's rights
/// have changed. A worker gives places for those who have died as well.
///
/// What is committed while storage is asked for places, or told of them, waits for the next time, and so does what is
/// committed soon after: however much there is, it is done some hundred times a second and no more.
pub(crate) async fn tell(app: App, store: Arc<PgStore>, is_worker: bool, mut shutdown: Shutdown) {
    let mut left = Vec::new();
    // However much this process commits itself, those of others have their turn.
    let mut looks = tokio::time::interval(LOOK);
    loop {
        let committed = tokio::select! {
            () = shutdown.comes() => return,
            _ = looks.tick() => Committed { signals: look(&app, &store, is_worker).await, ..Committed::default() },
            committed = store.committed() => committed,
        };
        let next = Instant::now() + PAUSE;
        let grown = hand_out(&app, &store, committed.placed);
        left.extend(committed.signals);
        if grown.is_empty() && left.is_empty() {
            continue;
        }
        left = told(&app, &store, left).await;
        send(&store, &grown).await;
        tokio::time::sleep_until(next).await;
    }
}

/// Tells of what is left when nothing more is committed: the end of [`tell`], once everything else has stopped.
pub(crate) async fn tell_the_rest(app: &App, store: &PgStore) {
    let grown = hand_out(app, store, store.committed_now().placed);
    send(store, &grown).await;
    told(app, store, unplaced(app).await).await;
}

/// Looks for who listens, and answers what a worker finds to do.
async fn look(app: &App, store: &PgStore, is_worker: bool) -> BTreeSet<Signal> {
    if let Err(error) = store.look_for_others().await {
        tracing::warn!(%error, "it could not be looked for other processes");
    }
    if is_worker { unplaced(app).await.into_iter().collect() } else { BTreeSet::new() }
}

/// Tells those who wait here of events that had their places with their commits. Answers what is left to tell others, if
/// there are any.
fn hand_out(app: &App, store: &PgStore, placed: Vec<Sequenced>) -> Vec<Signal> {
    let organizations: BTreeSet<OrganizationId> = placed.iter().map(|placed| placed.organization_id).collect();
    for sequenced in placed {
        app.wake.placed(sequenced);
    }
    if store.has_others() { organizations.into_iter().map(Signal::Feed).collect() } else { Vec::new() }
}

/// Sends signals to every process. Those who wait look for themselves after a while.
async fn send(store: &PgStore, signals: &[Signal]) {
    if signals.is_empty() {
        return;
    }
    if let Err(error) = store.send_signals(signals).await {
        tracing::warn!(%error, "other processes could not be told of what has changed");
    }
}

/// Tells of what was committed. Answers what could not be told.
async fn told(app: &App, store: &PgStore, committed: Vec<Signal>) -> Vec<Signal> {
    let (mut appended, mut signals, mut left) = (Vec::new(), Vec::new(), Vec::new());
    for signal in committed {
        match signal {
            Signal::Feed(organization_id) => appended.push(organization_id),
            Signal::Access(_) => signals.push(signal),
            Signal::Lost => {}
        }
    }
    for some in appended.chunks(AT_ONCE) {
        left.extend(place(app, some).await);
    }
    send(store, &signals).await;
    left
}

/// Gives the events of these organizations their places, and answers what is to be tried again. Where it fails for all of
/// them, each is tried by itself, so that one does not hold up the others.
async fn place(app: &App, some: &[OrganizationId]) -> Vec<Signal> {
    let mut left = Vec::new();
    if feed::sequence(app, some).await.is_ok() {
        return left;
    }
    for organization_id in some {
        if let Err(error) = feed::sequence(app, &[*organization_id]).await {
            tracing::warn!(%organization_id, %error, "events could not be given their places; it is tried again");
            left.push(Signal::Feed(*organization_id));
        }
    }
    left
}

async fn unplaced(app: &App) -> Vec<Signal> {
    match app.store.unsequenced(ORGANIZATIONS).await {
        Ok(organizations) => organizations.into_iter().map(Signal::Feed).collect(),
        Err(error) => {
            tracing::warn!(%error, "it could not be looked for events without a place; it is tried again");
            Vec::new()
        }
    }
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
        if let Err(error) = partitions::make_weeks_ahead(&url).await {
            tracing::error!(%error, "the tables for the weeks ahead could not be made; it is tried again within the hour");
        }
        if let Some(retention) = retention {
            drop_weeks(&url, Kept::Events, app.clock.now(), retention).await;
        }
        tokio::select! {
            () = shutdown.comes() => return,
            () = tokio::time::sleep(WEEKS) => {}
        }
    }
}

async fn drop_weeks(url: &str, kept: Kept, now: OffsetDateTime, age: time::Duration) {
    match partitions::drop_weeks(url, kept, now, age).await {
        Ok(dropped) if dropped.is_empty() => {}
        Ok(dropped) => tracing::info!(tables = dropped.join(", "), "dropped what is older than it is kept"),
        Err(error) => tracing::error!(%error, "what is old could not be dropped; it is tried again within the hour"),
    }
}
