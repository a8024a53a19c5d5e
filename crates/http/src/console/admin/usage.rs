//! `/console/usage`: limits as meters; received, sent and bounced mail as plots with the same figures as a table.

use askama::Template;
use inboxd_core::app::account;
use inboxd_core::app::metrics::{self, Cut, EventSeries};
use inboxd_core::model::permissions::MetricsRead;
use inboxd_core::model::{EventType, Permission, Reach, Scope};
use inboxd_core::rules::access;
use inboxd_core::rules::metrics::MetricWindow;
use time::{Date, Duration, Time};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, inbox_choices};
use crate::console::frame::{Frame, Section};
use crate::console::plot::{HEIGHT, Meter, Plot, WIDTH};
use crate::error::ApiError;
use crate::path;

/// Days of a plot.
const DAYS: i64 = 30;
const DAY_SECONDS: u64 = 24 * 3_600;
/// Plots with the event types that they count.
const PLOTS: [(&str, &[EventType]); 4] = [
    (
        "Received",
        &[
            EventType::MessageReceived,
            EventType::MessageReceivedSpam,
            EventType::MessageReceivedBlocked,
            EventType::MessageReceivedUnauthenticated,
        ],
    ),
    ("Sent", &[EventType::MessageSent]),
    ("Bounced", &[EventType::MessageBounced]),
    ("Complained", &[EventType::MessageComplained]),
];

#[derive(Template)]
#[template(path = "console/usage.html")]
struct UsagePage {
    frame: Frame,
    meters: Vec<Meter>,
    inboxes: Vec<Choice>,
    /// Whether the numbers of all inboxes can be shown.
    has_all: bool,
    plots: Vec<Plot>,
    rows: Vec<DayRow>,
    width: u32,
    height: u32,
}

/// The figures of one day, in the order of the plots.
struct DayRow {
    day: String,
    counts: Vec<u64>,
}

/// Shows the usage of the organization, or of one inbox.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let is_limited = access::is_limited_to_inboxes(&call.caller);
    let inbox_id = match (&call.caller.reach, call.query.one("inbox_id")) {
        (_, Some(named)) => Some(path::inbox_id(named)),
        // There are no numbers of several inboxes.
        (Reach::Inboxes(theirs), None) => theirs.first().cloned(),
        (_, None) => None,
    };
    let chosen: Vec<String> = inbox_id.iter().map(ToString::to_string).collect();
    let inboxes = inbox_choices(call, &chosen).await?;
    let scope = inbox_id.map_or(Scope::Organization, Scope::Inbox);
    let caller = call.authorize::<MetricsRead>(scope)?;
    let now = call.app().clock.now();
    let start = now.replace_time(Time::MIDNIGHT) - Duration::days(DAYS - 1);
    let window = MetricWindow { start: Some(start), end: None, period: Some(DAY_SECONDS) };
    let names: Vec<String> =
        PLOTS.iter().flat_map(|(_, types)| types.iter()).map(|kind| kind.as_str().to_owned()).collect();
    let series = metrics::events(call.app(), &caller, &names, window, Cut::default()).await?;
    let days: Vec<Date> = (0..DAYS).map(|day| (start + Duration::days(day)).date()).collect();
    let columns: Vec<Vec<u64>> = PLOTS.iter().map(|(_, types)| column(&series, types, &days)).collect();
    let rows = days.iter().enumerate().rev().map(|(place, day)| DayRow {
        day: day.to_string(),
        counts: columns.iter().map(|column| column.get(place).copied().unwrap_or_default()).collect(),
    });
    let template = UsagePage {
        frame: call.frame(Section::Usage, "Usage"),
        meters: if call.may(Permission::OrganizationRead) { meters(call).await? } else { Vec::new() },
        inboxes,
        has_all: !is_limited,
        plots: PLOTS.iter().zip(&columns).map(|((title, _), column)| Plot::of(title, &days, column)).collect(),
        rows: rows.collect(),
        width: WIDTH,
        height: HEIGHT,
    };
    call.render(&template)
}

/// Returns the number of events of some types on each day.
fn column(series: &EventSeries, types: &[EventType], days: &[Date]) -> Vec<u64> {
    let buckets: Vec<_> = types.iter().filter_map(|kind| series.get(kind)).flatten().collect();
    let on =
        |day: &Date| buckets.iter().filter(|bucket| bucket.timestamp.date() == *day).map(|bucket| bucket.count).sum();
    days.iter().map(on).collect()
}

async fn meters(call: &ConsoleCall) -> Result<Vec<Meter>, ApiError> {
    let overview = account::overview(call.app(), &call.caller).await?;
    let limits = overview.organization.limits();
    let allowance = account::send_allowance(call.app(), &call.caller).await?;
    let mut meters = vec![
        Meter::count("Inboxes", overview.inbox_count, limits.inboxes),
        Meter::count("Mail sent today", allowance.sent.today, limits.emails_per_day),
        Meter::count("Mail sent this month", allowance.sent.this_month, limits.emails_per_month),
        Meter::bytes("Storage", overview.storage_bytes, limits.storage_bytes),
        Meter::count("Domains", overview.domain_count, limits.domains),
        Meter::count("Pods", overview.pod_count, limits.pods),
        Meter::count("Webhooks", overview.webhook_count, limits.webhooks),
    ];
    // Without limits of sending the service does not count them.
    meters.retain(|meter| meter.limit.is_some() || !meter.title.starts_with("Mail"));
    Ok(meters)
}

#[cfg(test)]
mod tests {
    use inboxd_core::model::metrics::EventCount;
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn events_are_counted_by_day() {
        let count = |event_type, timestamp, count| (event_type, vec![EventCount { event_type, timestamp, count }]);
        let series = EventSeries::from([
            count(EventType::MessageReceived, datetime!(2026-11-02 00:00 UTC), 4),
            count(EventType::MessageReceivedSpam, datetime!(2026-11-02 00:00 UTC), 3),
            count(EventType::MessageSent, datetime!(2026-11-01 00:00 UTC), 9),
        ]);
        let days = [date!(2026 - 11 - 01), date!(2026 - 11 - 02)];
        let (_, received) = PLOTS[0];
        assert_eq!(column(&series, received, &days), [0, 7]);
        assert_eq!(column(&series, &[EventType::MessageSent], &days), [9, 0]);
    }
}
