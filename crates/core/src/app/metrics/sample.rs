//! Writing down what is used, once an hour.

use time::{Duration, OffsetDateTime};

use crate::Error;
use crate::app::App;
use crate::model::OrganizationId;
use crate::ports::Sampling;

/// How many organizations one unit of work samples: few enough that it is over soon.
const BATCH: u32 = 200;
/// After how long a scope is sampled again although nothing has changed in it.
const UNCHANGED: Duration = Duration::days(7);
/// How long samples are kept: the longest window, and a sample before it.
const KEPT: Duration = Duration::days(98);

/// The hour that a time is in.
#[must_use]
pub fn hour_of(at: OffsetDateTime) -> OffsetDateTime {
    at - Duration::seconds(at.unix_timestamp().rem_euclid(3600)) - Duration::nanoseconds(i64::from(at.nanosecond()))
}

/// Samples what some organizations use, with their pods and inboxes: those behind the one named, in the order of their
/// ids. Answers the last of them, or nothing when there are no more. Of an hour there is one sample, however many
/// processes do this.
///
/// # Errors
/// [`Error::Store`].
pub async fn sample_usage(app: &App, after: Option<OrganizationId>) -> Result<Option<OrganizationId>, Error> {
    let now = app.clock.now();
    let sampling = Sampling {
        hour: hour_of(now),
        taken_at: now,
        unchanged_since: now - UNCHANGED,
        kept_since: now - KEPT,
        after,
        limit: BATCH,
    };
    let mut tx = app.store.begin().await?;
    let last = tx.usage().sample(&sampling).await?;
    tx.commit().await?;
    Ok(last)
}
