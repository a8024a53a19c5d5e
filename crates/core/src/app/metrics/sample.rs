//! Hourly samples of usage.

use time::{Duration, OffsetDateTime};

use crate::Error;
use crate::app::App;
use crate::model::OrganizationId;
use crate::ports::Sampling;

/// Maximum number of organizations in one unit of work, which keeps its locks short.
const BATCH: u32 = 200;
/// Time after which an unchanged scope is sampled again.
const UNCHANGED: Duration = Duration::days(7);
/// Retention of samples: the longest window and one sample before it.
const SAMPLE_RETENTION: Duration = Duration::days(98);

/// Returns the start of the hour that contains a time.
#[must_use]
pub fn hour_of(at: OffsetDateTime) -> OffsetDateTime {
    at - Duration::seconds(at.unix_timestamp().rem_euclid(3600)) - Duration::nanoseconds(i64::from(at.nanosecond()))
}

/// Samples the usage of a batch of organizations with their pods and inboxes, and returns the last organization.
///
/// The batch begins after `after`, in the order of ids. The result is `None` at the end. Several processes may run
/// this and create one sample per hour.
///
/// # Errors
/// [`Error::Store`].
pub async fn sample_usage(app: &App, after: Option<OrganizationId>) -> Result<Option<OrganizationId>, Error> {
    let now = app.clock.now();
    let sampling = Sampling {
        hour: hour_of(now),
        taken_at: now,
        unchanged_since: now - UNCHANGED,
        kept_since: now - SAMPLE_RETENTION,
        after,
        limit: BATCH,
    };
    let mut tx = app.store.begin().await?;
    let last = tx.usage().sample(&sampling).await?;
    tx.commit().await?;
    Ok(last)
}
