//! Event counts over time.

use std::collections::BTreeMap;

use super::Cut;
use crate::Error;
use crate::app::{App, scope};
use crate::model::EventType;
use crate::model::metrics::EventCount;
use crate::model::permissions::MetricsRead;
use crate::ports::EventCountQuery;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::metrics::{self, MAX_EVENTS, MetricWindow};

/// Counts by event type, without types and buckets that have no events.
pub type EventSeries = BTreeMap<EventType, Vec<EventCount>>;

/// Counts the events of a window by type and bucket.
///
/// # Errors
/// [`Error::InboxIdRequired`], [`Error::UnknownEventType`], [`Error::Invalid`], [`Error::QueryRangeTooWide`],
/// [`Error::NotFound`] for the inbox or pod, [`Error::PodOutOfScope`].
pub async fn events(
    app: &App,
    caller: &AuthorizedCaller<MetricsRead>,
    names: &[String],
    window: MetricWindow,
    cut: Cut,
) -> Result<EventSeries, Error> {
    let event_types = names
        .iter()
        .map(|name| EventType::named(name).ok_or_else(|| Error::UnknownEventType(name.clone())))
        .collect::<Result<Vec<_>, _>>()?;
    let span = metrics::span(window, app.clock.now())?;
    let query = EventCountQuery {
        organization_id: caller.organization.organization_id,
        scope: scope::narrowed(app, caller).await?,
        event_types,
        span,
        most: MAX_EVENTS,
    };
    let counts = app.store.count_events(&query).await?;
    if counts.is_cut {
        return Err(Error::QueryRangeTooWide(format!("the window has more than {MAX_EVENTS} events")));
    }
    let mut series = EventSeries::new();
    for bucket in counts.buckets {
        series.entry(bucket.event_type).or_default().push(bucket);
    }
    Ok(series.into_iter().map(|(event_type, buckets)| (event_type, cut.of(buckets))).collect())
}
