//! Weekly tables of events.

use std::time::Duration;

use inboxd_core::app::App;
use time::OffsetDateTime;
use tokio::time::Instant;

use crate::ports::WorkerPorts;
use crate::shutdown::Shutdown;

/// The time between two rounds of maintenance.
const MAINTENANCE_INTERVAL: Duration = Duration::from_hours(1);
/// The time until a failed round is repeated.
const RETRY_DELAY: Duration = Duration::from_mins(1);
/// The time between two comparisons of the clock with that of the last round.
const CLOCK_INTERVAL: Duration = Duration::from_secs(1);

/// Creates the tables of the weeks ahead until shutdown, and drops those older than `retention`. Workers alone have a
/// retention.
pub async fn maintain_partitions(
    app: App,
    ports: WorkerPorts,
    retention: Option<time::Duration>,
    mut shutdown: Shutdown,
) {
    loop {
        let now = app.clock.now();
        let created = ports.partitions.create_weeks_ahead(now).await;
        if let Err(error) = &created {
            tracing::error!(%error, retry_in = ?RETRY_DELAY, "week partitions not created");
        }
        if let Some(retention) = retention {
            drop_old_weeks(&ports, now, retention).await;
        }
        let until = Instant::now() + if created.is_ok() { MAINTENANCE_INTERVAL } else { RETRY_DELAY };
        // Events of a clock that jumps need partitions of their own.
        while Instant::now() < until && is_near(app.clock.now(), now) {
            shutdown.sleep(CLOCK_INTERVAL).await;
            if shutdown.is_requested() {
                return;
            }
        }
    }
}

/// Returns whether the clock has not jumped by a day or more.
fn is_near(now: OffsetDateTime, before: OffsetDateTime) -> bool {
    (now - before).abs() < time::Duration::DAY
}

async fn drop_old_weeks(ports: &WorkerPorts, now: OffsetDateTime, age: time::Duration) {
    match ports.partitions.drop_old_weeks(now, age).await {
        Ok(dropped) if dropped.is_empty() => {}
        Ok(dropped) => tracing::info!(tables = dropped.join(", "), "old week partitions dropped"),
        Err(error) => tracing::error!(%error, retry_in = ?MAINTENANCE_INTERVAL, "old week partitions not dropped"),
    }
}
