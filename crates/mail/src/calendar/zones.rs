//! Time zones of events: names of IANA, names of Windows, and definitions in the object.

use std::fmt::Write as _;

use jiff::tz::{TimeZone, TimeZoneDatabase};

use super::content_lines::ContentLine;
use super::objects::{CalendarObject, ZoneObject, value};
use super::recurrence::RecurrenceRule;
use super::times::CalendarTime;
use super::windows_zones;

/// A time zone.
#[derive(Debug, Clone)]
pub(super) struct EventZone {
    /// IANA name; empty for a zone that only the object defines.
    pub(super) name: String,
    pub(super) zone: TimeZone,
}

impl EventZone {
    /// Finds a zone of the database by its name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let zone = TimeZoneDatabase::bundled().get(name).ok()?;
        let name = zone.iana_name()?.to_owned();
        Some(Self { name, zone })
    }

    pub(super) fn utc() -> Self {
        Self { name: "UTC".to_owned(), zone: TimeZone::UTC }
    }
}

/// Zones of a calendar object.
pub(super) struct ZoneResolver<'a> {
    object: &'a CalendarObject<'a>,
    default: Option<EventZone>,
}

impl<'a> ZoneResolver<'a> {
    pub(super) fn new(object: &'a CalendarObject<'a>) -> Self {
        let mut resolver = Self { object, default: None };
        resolver.default = object.value("X-WR-TIMEZONE").and_then(|name| resolver.find(name));
        resolver
    }

    /// Returns the zone of a time: UTC, the one that the property names, or that of the object.
    pub(super) fn of_time(&self, line: &ContentLine<'_>, time: CalendarTime) -> Option<EventZone> {
        match time {
            CalendarTime::Day(_) => None,
            CalendarTime::Utc(_) => Some(EventZone::utc()),
            CalendarTime::Local(_) => {
                let named = line.parameter("TZID").and_then(|name| self.find(&name));
                named.or_else(|| self.default.clone())
            }
        }
    }

    /// Returns a zone by its name, or else by its definition.
    fn find(&self, name: &str) -> Option<EventZone> {
        let name = name.trim();
        let named = || by_name(name);
        let defined = || {
            let zone = self.object.zones.iter().find(|zone| value(&zone.lines, "TZID") == Some(name))?;
            let location = value(&zone.lines, "X-LIC-LOCATION").and_then(by_name);
            location.or_else(|| definition(zone))
        };
        named().or_else(defined)
    }
}

/// Finds a zone by its IANA name, also behind the prefix of a registry, or by its Windows name.
fn by_name(name: &str) -> Option<EventZone> {
    let ends = name.match_indices('/').map(|(at, _)| name.get(at + 1..).unwrap_or_default());
    let candidates = std::iter::once(name).chain(ends.filter(|_| name.len() <= 255));
    let iana = || candidates.take(8).find_map(EventZone::named);
    windows_zones::iana_name(name).and_then(EventZone::named).or_else(iana)
}

/// Converts the definition of a zone into its present rule (POSIX TZ).
fn definition(zone: &ZoneObject<'_>) -> Option<EventZone> {
    let latest = |is_daylight: bool| {
        let kind = zone.observances.iter().filter(|(daylight, _)| *daylight == is_daylight);
        kind.map(|(_, lines)| lines.as_slice()).max_by_key(|lines| value(lines, "DTSTART"))
    };
    let standard = latest(false).or_else(|| latest(true))?;
    let offset = |lines| value(lines, "TZOFFSETTO").and_then(parse_offset);
    let mut rule = String::new();
    write_offset(&mut rule, "STD", offset(standard)?)?;
    if let Some(daylight) = latest(true).filter(|_| latest(false).is_some())
        && let (Some(begin), Some(end), Some(shift)) = (onset(daylight), onset(standard), offset(daylight))
    {
        write_offset(&mut rule, "DST", shift)?;
        write!(rule, ",{begin},{end}").ok()?;
    }
    Some(EventZone { name: String::new(), zone: TimeZone::posix(&rule).ok()? })
}

/// Parses `+0530` or `-083000` into seconds.
fn parse_offset(value: &str) -> Option<i32> {
    let (sign, digits) = match value.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, value.strip_prefix('+').unwrap_or(value)),
    };
    let part = |from: usize| digits.get(from..from + 2).and_then(|part| part.parse::<u8>().ok()).map(i32::from);
    let (hours, minutes) = (part(0)?, part(2)?);
    (hours <= 14 && minutes < 60).then(|| sign * (hours * 3600 + minutes * 60 + part(4).unwrap_or(0).min(59)))
}

/// Writes a name and an offset; POSIX counts west of Greenwich.
fn write_offset(rule: &mut String, name: &str, seconds: i32) -> Option<()> {
    let sign = if seconds > 0 { "-" } else { "" };
    let seconds = seconds.abs();
    write!(rule, "{name}{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60).ok()
}

/// Returns the yearly begin of an observance, such as `M3.2.0/2:00:00`.
fn onset(lines: &[ContentLine<'_>]) -> Option<String> {
    let CalendarTime::Local(start) = CalendarTime::parse(value(lines, "DTSTART")?)? else { return None };
    let rule = RecurrenceRule::parse(value(lines, "RRULE")?).ok()?;
    let (month, week, weekday) = rule.yearly_weekday()?;
    let week = if week == -1 { 5 } else { week };
    let time = start.time();
    (1..=5).contains(&week).then(|| {
        let weekday = weekday.to_sunday_zero_offset();
        format!("M{month}.{week}.{weekday}/{}:{:02}:{:02}", time.hour(), time.minute(), time.second())
    })
}
