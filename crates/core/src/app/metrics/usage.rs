//! Usage over time.

use std::collections::BTreeMap;

use time::OffsetDateTime;

use super::Cut;
use crate::app::{App, scope};
use crate::model::metrics::{UsageSample, UsageType};
use crate::model::permissions::MetricsRead;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::metrics::{self, MetricWindow};
use crate::{Error, FieldError};

/// Points by measure, each with its time and its value.
pub type UsageSeries = BTreeMap<UsageType, Vec<(OffsetDateTime, u64)>>;

/// Returns the usage over a window, with the current usage if the window includes the present.
///
/// Measures that the scope does not have are omitted.
///
/// # Errors
/// [`Error::InboxIdRequired`], [`Error::Invalid`], [`Error::QueryRangeTooWide`], [`Error::NotFound`] for the inbox or
/// pod, [`Error::PodOutOfScope`].
pub async fn usage(
    app: &App,
    caller: &AuthorizedCaller<MetricsRead>,
    names: &[String],
    window: MetricWindow,
    cut: Cut,
) -> Result<UsageSeries, Error> {
    let asked = usage_types(names)?;
    let now = app.clock.now();
    let span = metrics::span(window, now)?;
    let scope = scope::narrowed(app, caller).await?;
    let organization_id = caller.organization.organization_id;
    let samples = app.store.usage_samples(organization_id, &scope, &span).await?;
    let totals = app.store.usage_totals(organization_id, &scope).await?;
    let points = metrics::series(&span, &samples, UsageSample { taken_at: now, totals });
    let points = cut.of(points);
    let of = |usage_type: UsageType| -> Vec<(OffsetDateTime, u64)> {
        points.iter().map(|point| (point.taken_at, point.totals.of(usage_type))).collect()
    };
    let measured = asked.into_iter().filter(|usage_type| usage_type.is_of(&scope));
    Ok(measured.map(|usage_type| (usage_type, of(usage_type))).collect())
}

/// Parses the names of measures. No names select all measures.
fn usage_types(names: &[String]) -> Result<Vec<UsageType>, Error> {
    let mut known = Vec::new();
    let mut problems = Vec::new();
    for name in names {
        match UsageType::named(name) {
            Some(usage_type) => known.push(usage_type),
            None => problems.push(FieldError::new("usage_types", format!("{name} is none of {}", all_names()))),
        }
    }
    Error::unless_empty(problems)?;
    Ok(if known.is_empty() { UsageType::ALL.to_vec() } else { known })
}

fn all_names() -> String {
    UsageType::ALL.iter().map(|usage_type| usage_type.as_str()).collect::<Vec<_>>().join(", ")
}
