//! Dates, times and durations of events (RFC 5545, sections 3.3.4 to 3.3.6).

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::content_lines::ContentLine;
use super::recurrence::RecurrenceRule;
use super::zones::{EventZone, ZoneResolver};
use crate::sanitize;

/// Maximum number of excluded, and of added dates.
pub(super) const MAX_EXDATES: usize = 366;
pub(super) const MAX_RDATES: usize = 100;
/// Maximum number of digits of a number in a duration.
const MAX_DURATION_DIGITS: usize = 7;
/// Maximum length of a recurrence rule in characters.
pub(super) const MAX_RULE_CHARS: usize = 512;

/// Times of an event. Local times have the form `2026-10-15T14:00:00`, dates the form `2026-10-15`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryTimes {
    /// Whether the event lasts whole days.
    pub all_day: bool,
    /// Local start time, or the first day.
    pub start: String,
    /// Local end time, or the last day.
    pub end: String,
    /// Time zone (IANA) of the local times; `None` for days, and for times without a zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Start in Unix seconds; `None` without a time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<i64>,
    /// End in Unix seconds; `None` without a time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_at: Option<i64>,
}

/// Dates on which an event repeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryRecurrence {
    /// Rule in its normalized form, or as the sender wrote it if it is not valid.
    pub rule: String,
    /// Excluded dates, by their local start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exdates: Vec<String>,
    /// Added dates, by their local start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rdates: Vec<String>,
}

/// A value of type DATE or DATE-TIME.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CalendarTime {
    /// A day.
    Day(Date),
    /// A local time.
    Local(DateTime),
    /// A time in UTC.
    Utc(DateTime),
}

impl CalendarTime {
    /// Parses `20261015`, `20261015T140000` or `20261015T140000Z`. A leap second counts as the second before. The year 0
    /// is refused, because its beginning has a negative year in other time zones, which is not written with four digits.
    pub(super) fn parse(value: &str) -> Option<Self> {
        let value = value.trim();
        let (digits, is_utc) = match value.strip_suffix(['Z', 'z']) {
            Some(digits) => (digits, true),
            None => (value, false),
        };
        let (day, time) = match digits.split_once(['T', 't']) {
            Some((day, time)) => (day, Some(time)),
            None => (digits, None),
        };
        let number = |text: &str, from: usize, to: usize| text.get(from..to).and_then(digits_of);
        if day.len() != 8 {
            return None;
        }
        let month = i8::try_from(number(day, 4, 6)?).ok()?;
        let year = number(day, 0, 4).filter(|year| *year > 0)?;
        let date = Date::new(year, month, i8::try_from(number(day, 6, 8)?).ok()?).ok()?;
        let Some(time) = time else { return Some(Self::Day(date)).filter(|_| !is_utc) };
        if time.len() != 6 {
            return None;
        }
        let part = |from: usize| number(time, from, from + 2).and_then(|number| i8::try_from(number).ok());
        let time = Time::new(part(0)?, part(2)?, part(4)?.min(59), 0).ok()?;
        let local = DateTime::from_parts(date, time);
        Some(if is_utc { Self::Utc(local) } else { Self::Local(local) })
    }

    /// Returns the day.
    pub(super) fn date(self) -> Date {
        match self {
            Self::Day(date) => date,
            Self::Local(time) | Self::Utc(time) => time.date(),
        }
    }

    /// Returns the written form, in the zone of the value.
    pub(super) fn written(self) -> String {
        match self {
            Self::Day(date) => date.to_string(),
            Self::Local(time) | Self::Utc(time) => time.to_string(),
        }
    }

    /// Returns the local time in the zone of an event; a day begins at midnight.
    fn local(self, own: Option<&EventZone>, event: Option<&EventZone>) -> DateTime {
        let (time, own) = match self {
            Self::Day(date) => return DateTime::from_parts(date, Time::midnight()),
            Self::Local(time) => (time, own.map(|own| &own.zone)),
            Self::Utc(time) => (time, Some(&TimeZone::UTC)),
        };
        match (own, event) {
            (Some(own), Some(event)) if *own != event.zone => {
                own.to_timestamp(time).map_or(time, |instant| event.zone.to_datetime(instant))
            }
            _ => time,
        }
    }
}

fn digits_of(text: &str) -> Option<i16> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Times of an event before they are written.
pub(super) struct EventTimes {
    zone: Option<EventZone>,
    is_all_day: bool,
    start: DateTime,
    /// Exclusive for whole days.
    end: DateTime,
}

impl EventTimes {
    /// Reads start, end and duration of an event; `None` without a start.
    pub(super) fn read(lines: &[ContentLine<'_>], zones: &ZoneResolver<'_>) -> Option<Self> {
        let line = lines.iter().find(|line| line.is("DTSTART"))?;
        let time = CalendarTime::parse(line.value)?;
        let zone = zones.of_time(line, time);
        let start = time.local(zone.as_ref(), zone.as_ref());
        let is_all_day = matches!(time, CalendarTime::Day(_));
        let end_line = lines.iter().find(|line| line.is("DTEND"));
        let end = end_line.and_then(|line| {
            let time = CalendarTime::parse(line.value)?;
            Some(time.local(zones.of_time(line, time).as_ref(), zone.as_ref()))
        });
        let duration = || {
            let line = lines.iter().find(|line| line.is("DURATION"))?;
            start.checked_add(parse_duration(line.value)?).ok()
        };
        let shortest = if is_all_day { start.tomorrow().unwrap_or(start) } else { start };
        let end = end.or_else(duration).unwrap_or(shortest).max(shortest);
        Some(Self { zone, is_all_day, start, end }.in_named_zone())
    }

    /// Converts the times of a zone that only the object knows to UTC.
    fn in_named_zone(self) -> Self {
        match &self.zone {
            Some(zone) if zone.name.is_empty() => {
                let utc = |time| zone.zone.to_timestamp(time).map_or(time, |at| TimeZone::UTC.to_datetime(at));
                let (start, end) = (utc(self.start), utc(self.end));
                Self { zone: Some(EventZone::utc()), start, end, ..self }
            }
            _ => self,
        }
    }

    /// Returns the written form.
    pub(super) fn entry_times(&self) -> EntryTimes {
        if self.is_all_day {
            let last = self.end.yesterday().unwrap_or(self.end);
            let (start, end) = (self.start.date().to_string(), last.date().to_string());
            return EntryTimes { all_day: true, start, end, timezone: None, start_at: None, end_at: None };
        }
        let instant = |time| self.zone.as_ref().and_then(|zone| zone.zone.to_timestamp(time).ok());
        EntryTimes {
            all_day: false,
            start: self.start.to_string(),
            end: self.end.to_string(),
            timezone: self.zone.as_ref().map(|zone| zone.name.clone()),
            start_at: instant(self.start).map(jiff::Timestamp::as_second),
            end_at: instant(self.end).map(jiff::Timestamp::as_second),
        }
    }

    /// Returns a time of another property in the form of the start.
    pub(super) fn written(&self, line: &ContentLine<'_>, value: &str, zones: &ZoneResolver<'_>) -> Option<String> {
        let time = CalendarTime::parse(value)?;
        let own = zones.of_time(line, time).or_else(|| self.zone.clone());
        let local = time.local(own.as_ref(), self.zone.as_ref());
        let is_day = self.is_all_day || matches!(time, CalendarTime::Day(_));
        Some(if is_day { local.date().to_string() } else { local.to_string() })
    }

    /// Reads the recurrence; `None` for an event that does not repeat.
    pub(super) fn recurrence(&self, lines: &[ContentLine<'_>], zones: &ZoneResolver<'_>) -> Option<EntryRecurrence> {
        let dates = |name: &str, limit: usize| -> Vec<String> {
            let lines = lines.iter().filter(|line| line.is(name));
            let values = lines.flat_map(|line| line.value.split(',').map(move |value| (line, value)));
            // A period begins with its start.
            let start = |value: &str| value.split('/').next().unwrap_or_default().to_owned();
            values.filter_map(|(line, value)| self.written(line, &start(value), zones)).take(limit).collect()
        };
        let written = lines.iter().find(|line| line.is("RRULE"))?.value.trim();
        let rule = match RecurrenceRule::parse(written) {
            Ok(rule) => rule.to_string(),
            Err(_) => sanitize::truncate_owned(sanitize::single_line(written), MAX_RULE_CHARS),
        };
        let (exdates, rdates) = (dates("EXDATE", MAX_EXDATES), dates("RDATE", MAX_RDATES));
        Some(EntryRecurrence { rule, exdates, rdates }).filter(|recurrence| !recurrence.rule.is_empty())
    }
}

/// Returns the instant of a time in Unix seconds, in the zone of the event without one of its own. `None` for a day, and for
/// a time without a zone.
pub(super) fn instant(line: &ContentLine<'_>, event: Option<&EventTimes>, zones: &ZoneResolver<'_>) -> Option<i64> {
    let time = CalendarTime::parse(line.value)?;
    let (CalendarTime::Local(local) | CalendarTime::Utc(local)) = time else { return None };
    let zone = zones.of_time(line, time).or_else(|| event?.zone.clone())?;
    zone.zone.to_timestamp(local).ok().map(jiff::Timestamp::as_second)
}

/// Parses a positive duration such as `PT30M` or `P1W`.
pub(super) fn parse_duration(value: &str) -> Option<SignedDuration> {
    let value = value.trim().to_ascii_uppercase();
    let value = value.strip_prefix('+').unwrap_or(&value).strip_prefix('P')?;
    let mut seconds: i64 = 0;
    let mut digits = String::new();
    for c in value.chars() {
        let unit = match c {
            '0'..='9' if digits.len() < MAX_DURATION_DIGITS => {
                digits.push(c);
                continue;
            }
            'T' if digits.is_empty() => continue,
            'W' => 7 * 86_400,
            'D' => 86_400,
            'H' => 3_600,
            'M' => 60,
            'S' => 1,
            _ => return None,
        };
        seconds += digits.parse::<i64>().ok()? * unit;
        digits.clear();
    }
    digits.is_empty().then(|| SignedDuration::from_secs(seconds))
}
