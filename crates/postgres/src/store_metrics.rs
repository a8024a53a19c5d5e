//! Metrics of connection pools and of errors of the database.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use deadpool::managed::WeakPool;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::AsyncDieselConnectionManager;
use diesel_async::pooled_connection::deadpool::Pool;
use inboxd_core::ports::StoreError;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// Upper bounds of the wait for a connection, in seconds.
const WAIT_BUCKETS: [f64; 9] = [0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 10.0];

/// Errors and suppressions of this process. Errors arise in functions without a store, so they are counted here.
static COUNTS: Counts = Counts {
    contention: AtomicU64::new(0),
    lock_timeout: AtomicU64::new(0),
    unavailable: AtomicU64::new(0),
    undecided: AtomicU64::new(0),
    failed: AtomicU64::new(0),
    suppressions: AtomicU64::new(0),
};

struct Counts {
    contention: AtomicU64,
    lock_timeout: AtomicU64,
    unavailable: AtomicU64,
    undecided: AtomicU64,
    failed: AtomicU64,
    suppressions: AtomicU64,
}

/// Counts an error and returns it.
pub(crate) fn counted(error: StoreError) -> StoreError {
    let count = match error {
        StoreError::Contention => &COUNTS.contention,
        StoreError::LockTimeout => &COUNTS.lock_timeout,
        StoreError::Unavailable(_) => &COUNTS.unavailable,
        StoreError::Undecided(_) => &COUNTS.undecided,
        // Requests to blob stores have their own metrics.
        StoreError::Duplicate(_) | StoreError::ContentUnavailable(_) | StoreError::ContentLost(_) => return error,
        StoreError::Failed(_) => &COUNTS.failed,
    };
    count.fetch_add(1, Ordering::Relaxed);
    error
}

/// Counts addresses that were added to the suppressed ones.
pub(crate) fn count_suppressions(added: usize) {
    COUNTS.suppressions.fetch_add(u64::try_from(added).unwrap_or(0), Ordering::Relaxed);
}

/// Metrics of the store. Clones share their values.
#[derive(Debug, Clone)]
pub struct StoreMetrics {
    waits: Family<PoolLabels, Histogram>,
    pools: Pools,
    standby_lags: Family<StandbyLabels, SecondsGauge>,
}

/// Gauge of seconds. Clones share the value.
pub(crate) type SecondsGauge = Gauge<f64, AtomicU64>;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StandbyLabels {
    standby: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PoolLabels {
    pool: &'static str,
}

/// Pool of the store, with the metrics of its waits.
#[derive(Clone)]
pub(crate) struct PoolObserver {
    pub(crate) metrics: StoreMetrics,
    pub(crate) waits: Histogram,
}

impl StoreMetrics {
    /// Creates the metrics and registers them.
    #[must_use]
    pub fn registered(registry: &mut Registry) -> Self {
        let metrics = Self {
            waits: Family::new_with_constructor(|| Histogram::new(WAIT_BUCKETS)),
            pools: Pools::default(),
            standby_lags: Family::default(),
        };
        registry.register_with_unit(
            "database_pool_wait",
            "Time until a database connection was free, by pool",
            Unit::Seconds,
            metrics.waits.clone(),
        );
        registry.register_with_unit(
            "standby_lag",
            "Time since a standby had every confirmed commit, by its number in INBOXD_DATABASE_READ_URL",
            Unit::Seconds,
            metrics.standby_lags.clone(),
        );
        registry.register_collector(Box::new(metrics.pools.clone()));
        metrics
    }

    /// Adds a pool; pools of one name are added up.
    pub(crate) fn add(&self, name: &'static str, pool: &Pool<AsyncPgConnection>) {
        self.pools.0.lock().unwrap_or_else(PoisonError::into_inner).push((name, pool.weak()));
    }

    /// Returns the gauge of the lag of a standby by its number, beginning with 1.
    pub(crate) fn standby_lag(&self, number: usize) -> SecondsGauge {
        self.standby_lags.get_or_create_owned(&StandbyLabels { standby: number.to_string() })
    }

    /// Returns the observer of the waits for a pool.
    pub(crate) fn observer(&self, name: &'static str) -> PoolObserver {
        let waits = self.waits.get_or_create_owned(&PoolLabels { pool: name });
        PoolObserver { metrics: self.clone(), waits }
    }
}

/// Pools by name. They end with their stores.
#[derive(Clone, Default)]
struct Pools(Arc<Mutex<Vec<NamedPool>>>);

type NamedPool = (&'static str, WeakPool<AsyncDieselConnectionManager<AsyncPgConnection>>);

impl fmt::Debug for Pools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pools")
    }
}

/// State of the pools of one name.
#[derive(Default)]
struct PoolState {
    max: u64,
    used: u64,
    idle: u64,
    waiting: u64,
}

impl Pools {
    fn states(&self) -> BTreeMap<&'static str, PoolState> {
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let mut states = BTreeMap::<_, PoolState>::new();
        for (name, pool) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let Some(pool) = pool.upgrade() else { continue };
            let now = pool.status();
            let state = states.entry(*name).or_default();
            state.max += count(now.max_size);
            state.used += count(now.size.saturating_sub(now.available));
            state.idle += count(now.available);
            state.waiting += count(now.waiting);
        }
        states
    }
}

impl Collector for Pools {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let states = self.states();
        let help = "Database connections, by pool and state";
        let mut metric = encoder.encode_descriptor("database_pool_connections", help, None, MetricType::Gauge)?;
        for (pool, state) in &states {
            for (name, number) in [("used", state.used), ("idle", state.idle)] {
                let labels = [("pool", *pool), ("state", name)];
                ConstGauge::new(number).encode(metric.encode_family(&labels)?)?;
            }
        }
        let help = "Database connections that a pool may open";
        let mut metric = encoder.encode_descriptor("database_pool_max_connections", help, None, MetricType::Gauge)?;
        for (pool, state) in &states {
            ConstGauge::new(state.max).encode(metric.encode_family(&[("pool", *pool)])?)?;
        }
        let help = "Tasks that wait for a database connection, by pool";
        let mut metric = encoder.encode_descriptor("database_pool_waiting", help, None, MetricType::Gauge)?;
        for (pool, state) in &states {
            ConstGauge::new(state.waiting).encode(metric.encode_family(&[("pool", *pool)])?)?;
        }
        let help = "Errors of the database, by kind; each contention is one retry";
        let mut metric = encoder.encode_descriptor("database_errors", help, None, MetricType::Counter)?;
        for (kind, count) in [
            ("contention", &COUNTS.contention),
            ("lock_timeout", &COUNTS.lock_timeout),
            ("unavailable", &COUNTS.unavailable),
            ("undecided", &COUNTS.undecided),
            ("failed", &COUNTS.failed),
        ] {
            let count = ConstCounter::new(count.load(Ordering::Relaxed));
            count.encode(metric.encode_family(&[("kind", kind)])?)?;
        }
        let count = ConstCounter::new(COUNTS.suppressions.load(Ordering::Relaxed));
        let help = "Addresses that were suppressed after a bounce or complaint";
        count.encode(encoder.encode_descriptor("suppressions_added", help, None, MetricType::Counter)?)
    }
}
