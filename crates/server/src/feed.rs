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
    loop {
        let mut signals = tokio::select! {
            () = shutdown.comes() => return,
            signals = store.committed() => signals,
            () = tokio::time::sleep(LOOK) => Vec::new(),
        };
        if signals.is_empty() && is_worker {
            left.extend(unplaced(&app).await);
        }
        signals.append(&mut left);
        left = told(&app, &store, signals).await;
    }
}

/// Tells of what was committed. Answers what could not be told.
async fn told(app: &App, store: &PgStore, committed: Vec<Signal>) -> Vec<Signal> {
    let appended: Vec<OrganizationId> = committed
        .iter()
        .filter_map(|signal| match signal {
            Signal::Feed(organization_id) => Some(*organization_id),
            Signal::Access(_) | Signal::Lost => None,
        })
        .collect();
    let mut signals: Vec<Signal> =
        committed.iter().copied().filter(|signal| matches!(signal, Signal::Access(_))).collect();
    let mut left = Vec::new();
    match feed::sequence(app, &appended).await {
        Ok(grown) => signals.extend(grown.into_iter().map(Signal::Feed)),
        Err(error) => {
            tracing::warn!(%error, "events could not be given their places; it is tried again");
            left = appended.into_iter().map(Signal::Feed).collect();
        }
    }
    if !signals.is_empty()
        && let Err(error) = store.send_signals(&signals).await
    {
        // Those who wait look for themselves after a while.
        tracing::warn!(%error, "other processes could not be told of new events");
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
            drop_weeks(&url, Kept::Events, app.clock.now() - retention).await;
        }
        tokio::select! {
            () = shutdown.comes() => return,
            () = tokio::time::sleep(WEEKS) => {}
        }
    }
}

async fn drop_weeks(url: &str, kept: Kept, before: OffsetDateTime) {
    match partitions::drop_weeks(url, kept, before).await {
        Ok(dropped) if dropped.is_empty() => {}
        Ok(dropped) => tracing::info!(tables = dropped.join(", "), "dropped what is older than it is kept"),
        Err(error) => tracing::error!(%error, "what is old could not be dropped; it is tried again within the hour"),
    }
}
