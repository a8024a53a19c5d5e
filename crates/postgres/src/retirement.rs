//! Retirement of pooled connections that are idle or old.
//!
//! The driver never shrinks its buffers, which have grown to the largest message of a connection. PostgreSQL does not
//! free the caches of a backend either. Only the end of the connection frees both.

use std::time::Duration;

use deadpool::managed::{Manager, Metrics, WeakPool};
use tokio::time::sleep;

/// Limits after which a pool closes free connections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetirementLimits {
    /// Maximum time since the last loan.
    idle: Duration,
    /// Maximum age of a connection, in use or not.
    age: Duration,
    /// Pause between two sweeps.
    interval: Duration,
}

impl Default for RetirementLimits {
    fn default() -> Self {
        Self { idle: Duration::from_secs(30), age: Duration::from_mins(5), interval: Duration::from_secs(10) }
    }
}

impl RetirementLimits {
    /// Closes such connections until the pool is dropped.
    pub(crate) async fn enforce<M: Manager>(self, pool: WeakPool<M>) {
        loop {
            sleep(self.interval).await;
            let Some(pool) = pool.upgrade() else { return };
            drop(pool.retain(|_, metrics| self.may_stay(metrics)));
        }
    }

    fn may_stay(self, connection: Metrics) -> bool {
        connection.last_used() < self.idle && connection.age() < self.age
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use inboxd_testkit::database::database;
    use tokio::time::timeout;

    use super::*;
    use crate::connection::{ConnectionTarget, pool, runtime};

    const NEVER: Duration = Duration::from_hours(1);
    const SOON: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn free_connection_is_closed_when_idle_or_old_and_a_lent_one_is_not() {
        let database = database().await;
        for (idle, age) in [(SOON, NEVER), (NEVER, SOON)] {
            let mut target = ConnectionTarget::new(&database.url(), Duration::from_secs(30)).unwrap();
            target.retirement = RetirementLimits { idle, age, interval: SOON };
            let pool = pool(&target, 2, &runtime().unwrap()).unwrap();
            let lent = pool.get().await.unwrap();
            drop(pool.get().await.unwrap());
            let shrunk_to = async |size| {
                while pool.status().size != size {
                    sleep(SOON).await;
                }
            };
            timeout(Duration::from_secs(10), shrunk_to(1)).await.unwrap();
            sleep(SOON * 5).await;
            assert_eq!(pool.status().size, 1, "{idle:?} {age:?}");
            drop(lent);
            timeout(Duration::from_secs(10), shrunk_to(0)).await.unwrap();
        }
    }
}
