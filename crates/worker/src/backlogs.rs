//! Queries of the queue sizes for operators.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::App;

use crate::metrics::WorkerMetrics;
use crate::ports::WorkerPorts;
use crate::shutdown::Shutdown;

/// The time between two queries. A scrape causes none.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(15);

/// Reads the queue sizes at an interval until shutdown, and sets their metrics.
pub async fn sample_backlogs(app: App, ports: WorkerPorts, metrics: Arc<WorkerMetrics>, mut shutdown: Shutdown) {
    while !shutdown.is_requested() {
        let sizes = ports.backlog_sizes.backlogs().await;
        if let Err(error) = &sizes {
            tracing::warn!(%error, retry_in = ?SAMPLE_INTERVAL, "queue sizes not read");
        }
        metrics.set_backlogs(sizes.as_ref().ok(), app.clock.now());
        shutdown.sleep(SAMPLE_INTERVAL).await;
    }
}
