//! Standbys: reads from those whose data is recent enough, by measurement.
//!
//! Each second this process notes the position of the primary in its log (`pg_current_wal_lsn`) with the time before the
//! query. Commits that were confirmed before that time are at most at that position. A standby that has replayed it has
//! them all, also when the primary is idle. The heartbeat of this process must have arrived as well: it tells a standby
//! of another cluster, or of a former timeline, whose positions do not compare.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable};
use futures_util::future::join_all;
use inboxd_core::ports::{StandbyRead, Standbys, Store, StoreError};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::sql::Sql;
use crate::store::PgStore;
use crate::store_metrics::{SecondsGauge, StoreMetrics};

/// Time from a position of the primary to the query of the standbys, most of which have replayed it then.
const REPLAY_DELAY: Duration = Duration::from_millis(100);
/// Time from a measurement to the next one.
const MEASURE_INTERVAL: Duration = Duration::from_millis(900);
/// Time limit of each query of a measurement.
const MEASURE_TIMEOUT: Duration = Duration::from_secs(3);
/// Stored positions of the primary: more than an hour of them.
const MAX_SAMPLES: usize = 4_000;
/// Maximum number of standbys, each of which has connections of its own.
const MAX_STANDBYS: usize = 16;

/// Position of the primary, and the heartbeats of a process in its tables.
const PRIMARY_POSITION: &str = "
    SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS position,
        (SELECT beats FROM processes WHERE process_id = $1) AS beats";

/// Position to which a standby has replayed. The primary, which may be a former standby, has none.
const STANDBY_POSITION: &str = "
    SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint END AS position,
        (SELECT beats FROM processes WHERE process_id = $1) AS beats";

/// The standbys of a database.
pub struct PgStandbys {
    standbys: Vec<Standby>,
    max_lag: Duration,
    /// Number of choices so far: standbys take turns.
    choices: AtomicUsize,
    /// Signal that a read failed, so that the next measurement begins at once.
    failed_read: Notify,
}

/// One standby, with connections of its own.
struct Standby {
    host: String,
    store: Arc<PgStore>,
    freshness: Mutex<Freshness>,
    lag: SecondsGauge,
}

/// Measured state of a standby.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Freshness {
    /// Time up to which the standby has every confirmed commit.
    reached: Option<Instant>,
    /// Whether the last measurement succeeded; `None` before the first one.
    is_responding: Option<bool>,
}

/// Position of the primary at a time.
#[derive(Debug, Clone, Copy)]
struct PrimarySample {
    taken_at: Instant,
    position: i64,
    beats: i64,
}

#[derive(Debug, Clone, Copy, QueryableByName)]
struct PositionRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    position: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    beats: Option<i64>,
}

impl PgStandbys {
    /// Creates the standbys of a URL, one for each host, and contacts none of them.
    ///
    /// # Errors
    /// [`StoreError::Failed`] for an invalid URL, and for one that excludes standbys or has more than 16 hosts.
    pub fn new(
        primary: &PgStore,
        url: &str,
        connections: usize,
        max_lag: Duration,
        metrics: &StoreMetrics,
    ) -> Result<Self, StoreError> {
        let stores = primary.at_standbys(url, connections)?;
        if stores.is_empty() || stores.len() > MAX_STANDBYS {
            return Err(StoreError::Failed(format!("the URL must name 1 to {MAX_STANDBYS} hosts")));
        }
        let standby = |(number, (host, store)): (usize, (String, PgStore))| Standby {
            host,
            store: Arc::new(store.observed(metrics, "standby")),
            freshness: Mutex::default(),
            lag: metrics.standby_lag(number),
        };
        let standbys = (1..).zip(stores).map(standby).collect();
        Ok(Self { standbys, max_lag, choices: AtomicUsize::new(0), failed_read: Notify::new() })
    }

    /// Measures the standbys until it is cancelled. `process_id` names the heartbeats of this process.
    pub async fn measure(&self, primary: &PgStore, process_id: Uuid) {
        let started = Instant::now();
        let mut samples = VecDeque::new();
        loop {
            let taken_at = Instant::now();
            match position(primary, PRIMARY_POSITION, process_id).await {
                Ok(PositionRow { position: Some(position), beats: Some(beats) }) => {
                    samples.truncate(MAX_SAMPLES - 1);
                    samples.push_front(PrimarySample { taken_at, position, beats });
                }
                Ok(_) => {}
                Err(error) => tracing::debug!(%error, "position of the primary unknown"),
            }
            sleep(REPLAY_DELAY).await;
            join_all(self.standbys.iter().map(|standby| standby.measure(process_id, &samples, started))).await;
            let _ = timeout(MEASURE_INTERVAL, self.failed_read.notified()).await;
        }
    }
}

impl Standbys for PgStandbys {
    fn choose(&self, max_staleness: Duration) -> Option<StandbyRead> {
        let limit = max_staleness.min(self.max_lag);
        let now = Instant::now();
        let count = self.standbys.len();
        let first = self.choices.fetch_add(1, Ordering::Relaxed).checked_rem(count)?;
        self.standbys.iter().enumerate().cycle().skip(first).take(count).find_map(|(number, standby)| {
            let staleness = standby.freshness().staleness(now).filter(|staleness| *staleness <= limit)?;
            Some(StandbyRead { store: Arc::clone(&standby.store) as Arc<dyn Store>, staleness, number })
        })
    }

    fn report_failure(&self, number: usize) {
        if let Some(standby) = self.standbys.get(number) {
            tracing::debug!(standby = standby.host, "standby measured after a failed read");
            self.failed_read.notify_one();
        }
    }
}

impl Standby {
    /// Locks the state, which stays whole even when a holder of the lock has panicked.
    fn freshness(&self) -> MutexGuard<'_, Freshness> {
        self.freshness.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares the standby with positions of the primary, the newest first.
    async fn measure(&self, process_id: Uuid, samples: &VecDeque<PrimarySample>, started: Instant) {
        let found = position(&self.store, STANDBY_POSITION, process_id).await;
        let is_primary = matches!(found, Ok(PositionRow { position: None, beats: Some(_) }));
        let before = *self.freshness();
        let now = match found {
            Ok(row) => Freshness { reached: reached(samples, row, before.reached), is_responding: Some(true) },
            Err(error) => {
                if before.is_responding != Some(false) {
                    tracing::warn!(standby = self.host, %error, "standby not responding");
                }
                Freshness { is_responding: Some(false), ..before }
            }
        };
        if before.is_responding == Some(false) && now.is_responding == Some(true) {
            tracing::info!(standby = self.host, "standby responding");
        }
        *self.freshness() = now;
        let lag = if is_primary { Duration::ZERO } else { now.reached.unwrap_or(started).elapsed() };
        self.lag.set(lag.as_secs_f64());
    }
}

impl Freshness {
    /// Returns the staleness at a time; `None` while it is unknown.
    fn staleness(self, now: Instant) -> Option<Duration> {
        let reached = self.reached.filter(|_| self.is_responding == Some(true))?;
        Some(now.saturating_duration_since(reached))
    }
}

/// Returns the time up to which a standby at a position has every confirmed commit. A standby that has not reached the
/// oldest of the samples, the newest first, keeps an earlier time.
fn reached(samples: &VecDeque<PrimarySample>, standby: PositionRow, before: Option<Instant>) -> Option<Instant> {
    let (position, beats) = (standby.position?, standby.beats?);
    let has = |sample: &&PrimarySample| position >= sample.position && beats >= sample.beats;
    let newest = samples.iter().find(has).map(|sample| sample.taken_at);
    // A restarted standby may be behind its former position.
    let kept = before.filter(|before| samples.back().is_none_or(|oldest| *before < oldest.taken_at));
    newest.or(kept)
}

/// Reads a position within the time limit.
async fn position(store: &PgStore, text: &'static str, process_id: Uuid) -> Result<PositionRow, StoreError> {
    let read = async {
        let row = Sql::new(text).uuid(process_id).row::<PositionRow>(&mut *store.connection().await?).await?;
        row.ok_or_else(|| StoreError::Failed("a query returned no row".to_owned()))
    };
    let late = || StoreError::Unavailable(format!("no response within {} s", MEASURE_TIMEOUT.as_secs()));
    timeout(MEASURE_TIMEOUT, read).await.unwrap_or_else(|_| Err(late()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn standby_has_the_commits_of_the_newest_position_it_replayed() {
        let start = Instant::now();
        let sample =
            |second: u32, position, beats| PrimarySample { taken_at: start + SECOND * second, position, beats };
        let samples = VecDeque::from([sample(30, 300, 7), sample(20, 200, 6), sample(10, 100, 6)]);
        let at = |second: u32| Some(start + SECOND * second);
        for (position, beats, before, expected) in [
            (Some(300), Some(7), None, at(30)),
            (Some(299), Some(7), at(30), at(20)),
            (Some(100), Some(6), None, at(10)),
            (Some(99), Some(6), None, None),
            (Some(99), Some(6), at(9), at(9)),
            (Some(99), Some(6), at(20), None),
            (Some(900), Some(6), None, at(20)),
            (Some(900), Some(5), None, None),
            (Some(900), None, at(9), None),
            (None, Some(7), at(9), None),
        ] {
            let found = reached(&samples, PositionRow { position, beats }, before);
            assert_eq!(found, expected, "{position:?} {beats:?} {before:?}");
        }
        assert_eq!(reached(&VecDeque::new(), PositionRow { position: Some(1), beats: Some(1) }, None), None);
    }

    #[test]
    fn staleness_grows_from_the_time_reached_and_is_unknown_without_a_response() {
        let start = Instant::now();
        let (reached, now) = (Some(start), start + SECOND * 3);
        let staleness = |is_responding| Freshness { reached, is_responding }.staleness(now);
        assert_eq!(staleness(Some(true)), Some(SECOND * 3));
        assert_eq!([staleness(Some(false)), staleness(None)], [None, None]);
        assert_eq!(Freshness { reached: None, is_responding: Some(true) }.staleness(now), None);
    }
}
