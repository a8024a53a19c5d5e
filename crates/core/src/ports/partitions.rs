//! Weekly partitions of events.

use async_trait::async_trait;
use time::{Duration, OffsetDateTime};

use super::StoreError;

/// Maintenance of the weekly tables of events, feed positions, webhook attempts and delivery attempts. Concurrent calls of
/// several processes are safe.
#[async_trait]
pub trait EventPartitions: Send + Sync {
    /// Creates the tables of the weeks ahead that are missing.
    async fn create_weeks_ahead(&self, now: OffsetDateTime) -> Result<(), StoreError>;

    /// Drops the tables that hold only data older than `age`, and returns their names.
    async fn drop_old_weeks(&self, now: OffsetDateTime, age: Duration) -> Result<Vec<String>, StoreError>;
}
