//! Rolling rates of bounced, complained and delivered messages.

use std::collections::BTreeMap;

use time::OffsetDateTime;

use super::Cut;
use crate::app::{App, scope};
use crate::model::EventType;
use crate::model::metrics::{EventCount, RatePoint, RateType};
use crate::model::permissions::MetricsRead;
use crate::ports::EventCountQuery;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::metrics::MetricWindow;
use crate::rules::rates::{self, MAX_RATE_EVENTS};
use crate::{Error, FieldError};

/// Points by rate.
pub type RateSeries = BTreeMap<RateType, Vec<RatePoint>>;

/// Returns the rates of a range: at each point, over the `rolling` seconds before it.
///
/// # Errors
/// [`Error::InboxIdRequired`], [`Error::Invalid`], [`Error::QueryRangeTooWide`], [`Error::NotFound`] for the inbox or
/// pod, [`Error::PodOutOfScope`].
pub async fn rates(
    app: &App,
    caller: &AuthorizedCaller<MetricsRead>,
    names: &[String],
    window: MetricWindow,
    rolling: Option<u64>,
    cut: Cut,
) -> Result<RateSeries, Error> {
    let asked = rate_types(names)?;
    let span = rates::rate_span(window, rolling, app.clock.now())?;
    let mut event_types = vec![EventType::MessageSent];
    event_types.extend(asked.iter().map(|rate_type| rate_type.event_type()));
    let query = EventCountQuery {
        organization_id: caller.organization.organization_id,
        scope: scope::narrowed(app, caller).await?,
        event_types,
        span: span.counted,
        most: MAX_RATE_EVENTS,
    };
    let counts = app.store.count_recipients(&query).await?;
    if counts.is_cut {
        return Err(Error::QueryRangeTooWide(format!("the window has more than {MAX_RATE_EVENTS} events")));
    }
    let sent = by_bucket(&counts.buckets, EventType::MessageSent);
    let series = asked.into_iter().map(|rate_type| {
        let counted = by_bucket(&counts.buckets, rate_type.event_type());
        (rate_type, cut.of(rates::rate_points(&span, &sent, &counted)))
    });
    Ok(series.collect())
}

fn by_bucket(buckets: &[EventCount], event_type: EventType) -> BTreeMap<OffsetDateTime, u64> {
    let of_type = buckets.iter().filter(|bucket| bucket.event_type == event_type);
    of_type.map(|bucket| (bucket.timestamp, bucket.count)).collect()
}

/// Parses the names of rates. No names select all rates.
fn rate_types(names: &[String]) -> Result<Vec<RateType>, Error> {
    let rate_type = |name: &String| RateType::ALL.into_iter().find(|known| known.as_str() == name.as_str());
    let known: Option<Vec<RateType>> = names.iter().map(rate_type).collect();
    let problem = || Error::Invalid(vec![FieldError::new("rate_types", "must be bounce, complaint or delivery")]);
    let known = known.ok_or_else(problem)?;
    Ok(if known.is_empty() { RateType::ALL.to_vec() } else { known })
}
