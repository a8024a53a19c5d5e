//! What makes the feed move: committed events get their places, every process is told that there is something to read, and
//! what has become old enough goes.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::App;
use inboxd_core::app::feed;
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::{Signal, Signals as _};
use inboxd_postgres::PgStore;
use inboxd_postgres::partitions::{self, Kept};
use time::OffsetDateTime;

use crate::serve::Shutdown;

/// How often a worker looks for events that nobody gave a place: the process that committed them may be gone.
const LOOK: Duration = Duration::from_secs(1);
/// How many organizations get places in one statement.
const AT_ONCE: usize = 10;
/// How many organizations such a look takes at a time.
const ORGANIZATIONS: u32 = 100;
/// How long it takes until listening is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// How often the weeks are looked after.
const WEEKS: Duration = Duration::from_hours(1);

/// Gives the events that this process commits their places until shutdown, and tells every process that the feeds have
/// grown, and that somebody's rights have changed. A worker does so for those who have died as well.
pub(crate) async fn tell(app: App, store: Arc<PgStore>, is_worker: bool, mut shutdown: Shutdown) {
    let mut left = Vec::new();
    // However much this process commits itself, those of others have their turn.
    let mut looks = tokio::time::interval(LOOK);
    loop {
        let mut signals = tokio::select! {
            () = shutdown.comes() => return,
            _ = looks.tick() => if is_worker { unplaced(&app).await } else { Vec::new() },
            signals = store.committed() => signals,
        };
        signals.append(&mut left);
        left = told(&app, &store, signals).await;
    }
}

/// Tells of what is left when nothing more is committed: the end of [`tell`], once everything else has stopped.
pub(crate) async fn tell_the_rest(app: &App, store: &PgStore) {
    told(app, store, unplaced(app).await).await;
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
        signals.extend(grown(app, some, &mut left).await.into_iter().map(Signal::Feed));
    }
    if !signals.is_empty()
        && let Err(error) = store.send_signals(&signals).await
    {
        // Those who wait look for themselves after a while.
        tracing::warn!(%error, "other processes could not be told of new events");
    }
    left
}

/// The organizations of these whose feed has grown. Where it fails for all of them, each is tried by itself, so that one
/// does not hold up the others.
async fn grown(app: &App, some: &[OrganizationId], left: &mut Vec<Signal>) -> Vec<OrganizationId> {
    if let Ok(grown) = feed::sequence(app, some).await {
        return grown;
    }
    let mut all = Vec::new();
    for organization_id in some {
        match feed::sequence(app, &[*organization_id]).await {
            Ok(grown) => all.extend(grown),
            Err(error) => {
                tracing::warn!(%organization_id, %error, "events could not be given their places; it is tried again");
                left.push(Signal::Feed(*organization_id));
            }
        }
    }
    all
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
pub(crate) async fn listen(url: String, hear: impl Fn(Signal), mut shutdown: Shutdown) {
    let hear = |signal| {
        tracing::debug!(?signal, "heard from a process");
        hear(signal);
    };
    loop {
        let ended = tokio::select! {
            () = shutdown.comes() => return,
            ended = inboxd_postgres::listen(&url, &hear) => ended,
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
