//! Checks of the times and recurrences of events that clients write.

use jiff::civil::{Date, DateTime};
use thiserror::Error;

use super::expansion::{LocalTimes, RuleDates, expand, with_instants};
use super::recurrence::{RecurrenceRule, RuleFrequency};
use super::times::{CalendarTime, EntryRecurrence, EntryTimes, MAX_EXDATES, MAX_RDATES};
use super::zones::EventZone;

/// Seconds of a day.
const DAY: i64 = 86_400;
/// Maximum length of an event that does not repeat, and of each date of one that does.
const MAX_DAYS_ONCE: i64 = 366;
const MAX_DAYS_REPEATED: i64 = 31;

/// Field of an event that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field} {reason}")]
pub struct EventFieldError {
    /// Path of the field, such as `recurrence.rule`.
    pub field: String,
    /// Reason, as the end of a sentence about the field.
    pub reason: String,
}

fn bad(field: impl Into<String>, reason: impl Into<String>) -> EventFieldError {
    EventFieldError { field: field.into(), reason: reason.into() }
}

/// Returns the name of a time zone of the IANA database in its usual letter case; `None` for an unknown one.
#[must_use]
pub fn time_zone_name(name: &str) -> Option<String> {
    EventZone::named(name).map(|zone| zone.name)
}

/// Checks a local time such as `2026-10-15T14:00:00`, or a day such as `2026-10-15`.
fn require_form(field: &str, text: &str, all_day: bool) -> Result<(), EventFieldError> {
    let is_day = || text.parse::<Date>().is_ok_and(|day| day.to_string() == text);
    let is_time = || text.parse::<DateTime>().is_ok_and(|time| time.to_string() == text);
    // A leading sign would mean a year before 0.
    let is_valid = text.starts_with(|c: char| c.is_ascii_digit()) && if all_day { is_day() } else { is_time() };
    let form =
        if all_day { "must be a day as in 2026-10-15" } else { "must be a local time as in 2026-10-15T14:00:00" };
    if is_valid { Ok(()) } else { Err(bad(field, form)) }
}

/// Checks start and end of an event in a time zone, and returns them with their instants.
///
/// # Errors
/// The first field that cannot be used.
pub fn check_times(
    all_day: bool,
    start: &str,
    end: &str,
    timezone: &str,
    repeats: bool,
) -> Result<EntryTimes, EventFieldError> {
    let timezone = time_zone_name(timezone)
        .ok_or_else(|| bad("timezone", "must be a time zone of the IANA database, as Europe/Berlin"))?;
    require_form("start", start, all_day)?;
    require_form("end", end, all_day)?;
    let (start, end, timezone) = (start.to_owned(), end.to_owned(), Some(timezone));
    let times = EntryTimes { all_day, start, end, timezone, start_at: None, end_at: None };
    let times = with_instants(&times, "UTC").ok_or_else(|| bad("end", "lies outside the calendar"))?;
    let (Some(from), Some(to)) = (times.start_at, times.end_at) else {
        return Err(bad("start", "lies outside the calendar"));
    };
    if to <= from {
        return Err(bad("end", if all_day { "must not lie before start" } else { "must lie after start" }));
    }
    let most = if repeats { MAX_DAYS_REPEATED } else { MAX_DAYS_ONCE };
    // An hour of slack covers the change of a clock.
    if to - from > most * DAY + 3_600 {
        return Err(bad("end", format!("must lie at most {most} days after start")));
    }
    Ok(times)
}

/// Checks the recurrence of an event with checked times, and returns it with its normalized rule.
///
/// # Errors
/// The first field that cannot be used.
pub fn check_recurrence(
    times: &EntryTimes,
    rule: &str,
    exdates: Vec<String>,
    rdates: Vec<String>,
) -> Result<EntryRecurrence, EventFieldError> {
    let of_rule = |reason: &str| bad("recurrence.rule", reason);
    let parsed = RecurrenceRule::parse(rule).map_err(|error| of_rule(&format!("cannot be used: {error}")))?;
    if parsed.frequency > RuleFrequency::Daily {
        return Err(of_rule("must have a FREQ of days or more"));
    }
    let fits = match parsed.until {
        None => true,
        Some(CalendarTime::Day(_)) => times.all_day,
        Some(CalendarTime::Utc(_)) => !times.all_day,
        Some(CalendarTime::Local(_)) => false,
    };
    if !fits {
        return Err(of_rule("must have an UNTIL as 20261015 for whole days, and as 20261015T140000Z for times"));
    }
    let rule = parsed.to_string();
    if LocalTimes::of(times, "UTC").and_then(|local| RuleDates::new(parsed, &local)).is_none() {
        return Err(of_rule("names too many times of a day"));
    }
    for (name, dates, most) in [("exdates", &exdates, MAX_EXDATES), ("rdates", &rdates, MAX_RDATES)] {
        if dates.len() > most {
            return Err(bad(format!("recurrence.{name}"), format!("has at most {most} dates")));
        }
        for (place, date) in dates.iter().enumerate() {
            require_form(&format!("recurrence.{name}[{place}]"), date, times.all_day)?;
        }
    }
    let bare = EntryRecurrence { rule, exdates: Vec::new(), rdates: Vec::new() };
    let start = times.start_at.unwrap_or_default();
    let first = expand(times, Some(&bare), "UTC", (start, start.saturating_add(1)), 1);
    if first.first().is_none_or(|date| date.start != times.start) {
        return Err(of_rule("must have a date at `start`"));
    }
    Ok(EntryRecurrence { exdates, rdates, ..bare })
}
