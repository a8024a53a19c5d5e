//! Dates of recurring events (RFC 5545, sections 3.3.10 and 3.8.5).

use std::collections::BTreeSet;

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::recurrence::{RecurrenceRule, RuleFrequency};
use super::times::CalendarTime;
use super::zones::EventZone;
use super::{EntryRecurrence, EntryTimes};

/// Maximum number of days that one expansion looks at.
const MAX_DAYS: usize = 20_000;
/// Maximum number of times of a day that a rule may name; no other rule is expanded.
const MAX_DAY_TIMES: usize = 48;

/// Returns times with their instants. Those of whole days and of times without a zone are in `default_zone`.
#[must_use]
pub fn with_instants(times: &EntryTimes, default_zone: &str) -> Option<EntryTimes> {
    let local = LocalTimes::of(times, default_zone)?;
    Some(local.written(times, local.start))
}

/// Returns times moved to another local start, with the same length.
#[must_use]
pub fn moved_to(times: &EntryTimes, start: &str, default_zone: &str) -> Option<EntryTimes> {
    Some(LocalTimes::of(times, default_zone)?.written(times, parse_local(start)?))
}

/// Returns the local time of an instant in the time zone of an event; `None` for an event of whole days.
#[must_use]
pub fn local_time_at(times: &EntryTimes, default_zone: &str, at: i64) -> Option<String> {
    let local = LocalTimes::of(times, default_zone).filter(|local| !local.is_all_day)?;
    Timestamp::from_second(at).ok().map(|at| local.zone.zone.to_datetime(at).to_string())
}

/// Returns the dates of an event that overlap a window of Unix seconds, in order, at most `limit`.
///
/// The excluded dates are left out. Hourly rules and shorter ones, and rules that are not valid, have one date.
#[must_use]
pub fn expand(
    times: &EntryTimes,
    recurrence: Option<&EntryRecurrence>,
    default_zone: &str,
    window: (i64, i64),
    limit: usize,
) -> Vec<EntryTimes> {
    let Some(local) = LocalTimes::of(times, default_zone) else { return Vec::new() };
    let (after, before) = window;
    let overlaps = |date: &EntryTimes| {
        let (Some(start), Some(end)) = (date.start_at, date.end_at) else { return false };
        start < before && (end > after || (start == end && end >= after))
    };
    let Some(recurrence) = recurrence else {
        return Some(local.written(times, local.start)).into_iter().filter(overlaps).take(limit).collect();
    };
    let mut starts: BTreeSet<DateTime> = BTreeSet::new();
    let rule = RecurrenceRule::parse(&recurrence.rule).ok().and_then(|rule| RuleDates::new(rule, &local));
    let span = local.span_around(after, before);
    // Excluded dates, and those beside the window, take room too.
    let room = limit.saturating_mul(2).saturating_add(recurrence.exdates.len());
    starts.extend(rule.map_or_else(|| vec![local.start], |dates| dates.between(span, room)));
    starts.extend(recurrence.rdates.iter().filter_map(|date| parse_local(date)));
    for excluded in recurrence.exdates.iter().filter_map(|date| parse_local(date)) {
        starts.remove(&excluded);
    }
    starts.into_iter().map(|start| local.written(times, start)).filter(overlaps).take(limit).collect()
}

/// Returns the Unix second at which the last date of an event has ended; `None` for an event that repeats for ever.
#[must_use]
pub fn last_end(times: &EntryTimes, recurrence: Option<&EntryRecurrence>, default_zone: &str) -> Option<i64> {
    let whole = with_instants(times, default_zone)?;
    let Some(recurrence) = recurrence else { return whole.end_at };
    let rule = RecurrenceRule::parse(&recurrence.rule).ok()?;
    let until = rule.until.and_then(|until| {
        // A day of slack covers every time zone.
        let day = until.date().tomorrow().and_then(Date::tomorrow).ok()?;
        TimeZone::UTC.to_timestamp(DateTime::from_parts(day, Time::midnight())).ok()
    });
    let length = whole.end_at? - whole.start_at?;
    let added = recurrence.rdates.iter().filter_map(|date| parse_local(date));
    let added = added.filter_map(|date| TimeZone::UTC.to_timestamp(date).ok()).map(|at| at.as_second() + 2 * 86_400);
    let last = until?.as_second().max(added.max().unwrap_or(i64::MIN));
    Some(last.saturating_add(length.max(0)))
}

fn parse_local(text: &str) -> Option<DateTime> {
    match text.parse::<Date>() {
        Ok(day) if !text.contains('T') => Some(DateTime::from_parts(day, Time::midnight())),
        _ => text.parse().ok(),
    }
}

/// Local times of the first date.
pub(super) struct LocalTimes {
    zone: EventZone,
    is_all_day: bool,
    start: DateTime,
    /// Length on the clock; whole days for whole days.
    length: SignedDuration,
}

impl LocalTimes {
    pub(super) fn of(times: &EntryTimes, default_zone: &str) -> Option<Self> {
        let zone = times.timezone.as_deref().and_then(EventZone::named);
        let zone = zone.or_else(|| EventZone::named(default_zone)).unwrap_or_else(EventZone::utc);
        let (start, end) = (parse_local(&times.start)?, parse_local(&times.end)?);
        let end = if times.all_day { end.tomorrow().ok()? } else { end };
        Some(Self { zone, is_all_day: times.all_day, start, length: end.duration_since(start) })
    }

    /// Returns the times of the date that begins at a local time.
    fn written(&self, of: &EntryTimes, start: DateTime) -> EntryTimes {
        let end = start.checked_add(self.length).unwrap_or(start);
        let instant = |time| self.zone.zone.to_timestamp(time).ok().map(Timestamp::as_second);
        let last = if self.is_all_day { end.yesterday().unwrap_or(end) } else { end };
        let text = |time: DateTime| if self.is_all_day { time.date().to_string() } else { time.to_string() };
        EntryTimes {
            all_day: of.all_day,
            start: text(start),
            end: text(last),
            timezone: Some(self.zone.name.clone()),
            start_at: instant(start),
            end_at: instant(end),
        }
    }

    /// Returns the local days around a window, with a day of slack and the length of a date.
    fn span_around(&self, after: i64, before: i64) -> (DateTime, DateTime) {
        let local =
            |second: i64| Timestamp::from_second(second).map_or(self.start, |at| self.zone.zone.to_datetime(at));
        let slack = SignedDuration::from_hours(24);
        let from = local(after).checked_sub(slack + self.length.abs()).unwrap_or(DateTime::MIN);
        (from, local(before).checked_add(slack).unwrap_or(DateTime::MAX))
    }
}

/// Dates of a rule.
pub(super) struct RuleDates {
    rule: RecurrenceRule,
    start: DateTime,
    /// Last local time at which a date may begin.
    until: Option<DateTime>,
    times: Vec<Time>,
    months: Vec<i16>,
    month_days: Vec<i16>,
    weekdays: Vec<(Option<i16>, Weekday)>,
}

impl RuleDates {
    /// Prepares a rule of days; `None` for a shorter unit.
    pub(super) fn new(rule: RecurrenceRule, local: &LocalTimes) -> Option<Self> {
        if rule.frequency > RuleFrequency::Daily {
            return None;
        }
        let start = local.start;
        let until = rule.until.map(|until| match until {
            CalendarTime::Day(day) => {
                DateTime::from_parts(day, Time::midnight()).checked_add(SignedDuration::from_secs(86_399)).ok()
            }
            CalendarTime::Local(time) => Some(time),
            CalendarTime::Utc(time) => TimeZone::UTC.to_timestamp(time).ok().map(|at| local.zone.zone.to_datetime(at)),
        });
        let until = match until {
            Some(until) => Some(until?),
            None => None,
        };
        let or = |numbers: &[i16], own: i8| if numbers.is_empty() { vec![i16::from(own)] } else { numbers.to_vec() };
        let hours = or(rule.numbers("BYHOUR"), start.hour());
        let minutes = or(rule.numbers("BYMINUTE"), start.minute());
        let seconds = or(rule.numbers("BYSECOND"), start.second());
        if hours.len() * minutes.len() * seconds.len() > MAX_DAY_TIMES {
            return None;
        }
        let part = |number: i16| i8::try_from(number).unwrap_or(0);
        let mut times: Vec<Time> = Vec::new();
        for hour in &hours {
            for minute in &minutes {
                let all =
                    seconds.iter().filter_map(|second| Time::new(part(*hour), part(*minute), part(*second), 0).ok());
                times.extend(all);
            }
        }
        let mut months = rule.numbers("BYMONTH").to_vec();
        let mut month_days = rule.numbers("BYMONTHDAY").to_vec();
        let mut weekdays = rule.by_day.clone();
        let names_days = !month_days.is_empty()
            || !weekdays.is_empty()
            || !rule.numbers("BYYEARDAY").is_empty()
            || !rule.numbers("BYWEEKNO").is_empty();
        if !names_days {
            match rule.frequency {
                RuleFrequency::Yearly => {
                    if months.is_empty() {
                        months.push(start.month().into());
                    }
                    month_days.push(start.day().into());
                }
                RuleFrequency::Monthly => month_days.push(start.day().into()),
                RuleFrequency::Weekly => weekdays.push((None, start.weekday())),
                _ => {}
            }
        } else if rule.frequency == RuleFrequency::Yearly && weekdays.is_empty() && !rule.numbers("BYWEEKNO").is_empty()
        {
            weekdays.push((None, start.weekday()));
        }
        Some(Self { rule, start, until, times, months, month_days, weekdays })
    }

    /// Returns the dates from one local time to another, at most `limit`.
    fn between(&self, (from, to): (DateTime, DateTime), limit: usize) -> Vec<DateTime> {
        let mut found = Vec::new();
        let mut left = self.rule.count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
        let mut budget = MAX_DAYS;
        let mut period = self.first_period(from);
        while found.len() < limit && left > 0 {
            let Some(days) = self.days_of_period(period) else { break };
            budget = match budget.checked_sub(days.len().max(1)) {
                Some(rest) => rest,
                None => break,
            };
            if days.first().is_some_and(|day| DateTime::from_parts(*day, Time::midnight()) > to) {
                break;
            }
            let all = days
                .into_iter()
                .filter(|day| self.has(*day))
                .flat_map(|day| self.times.iter().map(move |time| DateTime::from_parts(day, *time)));
            for date in self.at_positions(all.collect()) {
                if date < self.start {
                    continue;
                }
                if left == 0 || self.until.is_some_and(|until| date > until) {
                    return found;
                }
                left -= 1;
                if date >= from && date <= to && found.len() < limit {
                    found.push(date);
                }
            }
            period += 1;
        }
        found
    }

    /// Returns the dates at the positions that the rule selects of a period.
    fn at_positions(&self, dates: Vec<DateTime>) -> Vec<DateTime> {
        let positions = self.rule.numbers("BYSETPOS");
        if positions.is_empty() {
            return dates;
        }
        let at = |position: i16| {
            let magnitude = usize::from(position.unsigned_abs());
            if position > 0 { magnitude.checked_sub(1) } else { dates.len().checked_sub(magnitude) }
        };
        let chosen: BTreeSet<DateTime> =
            positions.iter().filter_map(|position| dates.get(at(*position)?)).copied().collect();
        chosen.into_iter().collect()
    }

    /// Returns the period in which the search begins. A count is exact only from the first one on.
    fn first_period(&self, from: DateTime) -> i64 {
        if self.rule.count.is_some() || from <= self.start {
            return 0;
        }
        let years = i64::from(from.year()) - i64::from(self.start.year());
        let months = years * 12 + i64::from(from.month()) - i64::from(self.start.month());
        let days = from.duration_since(self.start).as_hours() / 24;
        let passed = match self.rule.frequency {
            RuleFrequency::Yearly => years,
            RuleFrequency::Monthly => months,
            RuleFrequency::Weekly => days / 7,
            _ => days,
        };
        (passed / i64::from(self.rule.interval) - 1).max(0)
    }

    /// Returns the days of a period; `None` beyond the calendar.
    fn days_of_period(&self, period: i64) -> Option<Vec<Date>> {
        let passed = period.checked_mul(i64::from(self.rule.interval))?;
        let start = self.start.date();
        let (first, length) = match self.rule.frequency {
            RuleFrequency::Yearly => {
                let year = i16::try_from(i64::from(start.year()).checked_add(passed)?).ok()?;
                let first = Date::new(year, 1, 1).ok()?;
                (first, i64::from(first.days_in_year()))
            }
            RuleFrequency::Monthly => {
                let month = i64::from(start.year()) * 12 + i64::from(start.month()) - 1 + passed;
                let year = i16::try_from(month.div_euclid(12)).ok()?;
                let first = Date::new(year, i8::try_from(month.rem_euclid(12) + 1).ok()?, 1).ok()?;
                (first, i64::from(first.days_in_month()))
            }
            RuleFrequency::Weekly => {
                let back = i64::from(start.weekday().since(self.rule.week_start));
                (add_days(start, passed.checked_mul(7)?.checked_sub(back)?)?, 7)
            }
            _ => (add_days(start, passed)?, 1),
        };
        (0..length).map(|day| add_days(first, day)).collect()
    }

    /// Returns whether the rule names a day.
    fn has(&self, day: Date) -> bool {
        let within = |numbers: &[i16], from_start: i16, from_end: i16| {
            numbers.is_empty() || numbers.contains(&from_start) || numbers.contains(&(from_start - from_end - 1))
        };
        let day_of_month = i16::from(day.day());
        (self.months.is_empty() || self.months.contains(&i16::from(day.month())))
            && within(&self.month_days, day_of_month, day.days_in_month().into())
            && within(self.rule.numbers("BYYEARDAY"), day.day_of_year(), day.days_in_year())
            && self.is_in_weeks(day)
            && self.is_on_weekdays(day)
    }

    fn is_in_weeks(&self, day: Date) -> bool {
        let weeks = self.rule.numbers("BYWEEKNO");
        if weeks.is_empty() || self.rule.frequency != RuleFrequency::Yearly {
            return true;
        }
        // Week 1 is the first with at least four days in the year.
        let week_one = |year: i16| {
            let fourth = Date::new(year, 1, 4).ok()?;
            add_days(fourth, -i64::from(fourth.weekday().since(self.rule.week_start)))
        };
        let (Some(first), Some(next)) = (week_one(day.year()), day.year().checked_add(1).and_then(week_one)) else {
            return false;
        };
        let days = |from: Date, to: Date| to.duration_since(from).as_hours() / 24;
        let (number, count) = (days(first, day).div_euclid(7) + 1, days(first, next) / 7);
        weeks.iter().any(|week| {
            let week = i64::from(*week);
            number >= 1 && number <= count && (week == number || week == number - count - 1)
        })
    }

    fn is_on_weekdays(&self, day: Date) -> bool {
        let is_of_month = self.rule.frequency == RuleFrequency::Monthly || !self.months.is_empty();
        let (place, length) = if is_of_month {
            (i16::from(day.day()), i16::from(day.days_in_month()))
        } else {
            (day.day_of_year(), day.days_in_year())
        };
        let (nth, nth_last) = ((place - 1) / 7 + 1, -((length - place) / 7 + 1));
        let counts_positions =
            self.rule.frequency <= RuleFrequency::Monthly && self.rule.numbers("BYWEEKNO").is_empty();
        self.weekdays.is_empty()
            || self.weekdays.iter().any(|(position, weekday)| {
                let fits = position.is_none_or(|at| !counts_positions || at == nth || at == nth_last);
                *weekday == day.weekday() && fits
            })
    }
}

fn add_days(day: Date, days: i64) -> Option<Date> {
    day.checked_add(SignedDuration::from_hours(days.checked_mul(24)?)).ok()
}
