//! Calendar objects for outgoing messages.

use std::collections::BTreeMap;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::person::{AttendeeRole, AttendeeStatus, CalendarAttendee, CalendarPerson};
use super::write_zone::write_zone;
use super::zones::EventZone;
use super::{CalendarEntry, CalendarMethod, EntryRecurrence, EntryStatus, EntryTimes};
use crate::sanitize;

/// Maximum length of a line in bytes (RFC 5545, section 3.1).
const MAX_LINE_BYTES: usize = 75;
/// Name of the program in calendar objects.
const PRODUCT: &str = "-//inboxd//inboxd//EN";

/// Writes a calendar object about one event. Times are in UTC, which needs no definition of a zone; those of a recurring
/// event are local, because its dates keep their time on the clock.
#[must_use]
pub fn write_calendar(method: CalendarMethod, entry: &CalendarEntry) -> String {
    write_object(method, None, std::slice::from_ref(entry))
}

/// Writes the events of a calendar for its subscribers (RFC 5546, section 3.2.1), without attendees.
#[must_use]
pub fn write_feed(name: &str, entries: &[CalendarEntry]) -> String {
    write_object(CalendarMethod::Publish, Some(name), entries)
}

fn write_object(method: CalendarMethod, name: Option<&str>, entries: &[CalendarEntry]) -> String {
    let mut out = ObjectWriter::default();
    for (name, value) in [("BEGIN", "VCALENDAR"), ("PRODID", PRODUCT), ("VERSION", "2.0")] {
        out.line(name, value);
    }
    out.line("METHOD", &method.as_str().replace('_', "").to_ascii_uppercase());
    out.text("X-WR-CALNAME", name);
    // An answer asks for nothing, and the recurrence of the organizer counts.
    let recurring = entries.iter().filter(|entry| method != CalendarMethod::Reply && entry.recurrence.is_some());
    let mut zones: BTreeMap<String, (EventZone, jiff::Timestamp)> = BTreeMap::new();
    for (zone, from) in recurring.filter_map(|entry| local_zone(entry.times.as_ref()?)) {
        let known = zones.entry(zone.name.clone()).or_insert((zone, from));
        known.1 = known.1.min(from);
    }
    for (zone, from) in zones.values() {
        write_zone(&mut out, zone, *from);
    }
    for entry in entries {
        out.event(method, entry);
    }
    out.line("END", "VCALENDAR");
    out.written
}

/// Returns the zone of local times other than UTC, and an instant shortly before them.
fn local_zone(times: &EntryTimes) -> Option<(EventZone, jiff::Timestamp)> {
    let zone = EventZone::named(times.timezone.as_deref()?).filter(|zone| !times.all_day && zone.name != "UTC")?;
    let from = jiff::Timestamp::from_second(times.start_at?.checked_sub(86_400)?).ok()?;
    Some((zone, from))
}

fn attributes(attendee: &CalendarAttendee) -> String {
    let role = match attendee.role {
        AttendeeRole::Required => "REQ-PARTICIPANT",
        AttendeeRole::Optional => "OPT-PARTICIPANT",
    };
    let status = match attendee.status {
        AttendeeStatus::NeedsAction => "NEEDS-ACTION",
        AttendeeStatus::Accepted => "ACCEPTED",
        AttendeeStatus::Declined => "DECLINED",
        AttendeeStatus::Tentative => "TENTATIVE",
    };
    format!(";ROLE={role};PARTSTAT={status}")
}

fn stamp(seconds: i64) -> String {
    let instant = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    utc(TimeZone::UTC.to_datetime(instant))
}

fn utc(time: DateTime) -> String {
    time.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Writer of content lines.
#[derive(Default)]
pub(super) struct ObjectWriter {
    written: String,
}

impl ObjectWriter {
    /// Writes an event.
    fn event(&mut self, method: CalendarMethod, entry: &CalendarEntry) {
        let recurrence = entry.recurrence.as_ref().filter(|_| method != CalendarMethod::Reply);
        let local_zone = recurrence.and_then(|_| local_zone(entry.times.as_ref()?)).map(|(zone, _)| zone.name);
        let zone = entry.times.as_ref().and_then(|times| times.timezone.as_deref());
        let zones = (zone, local_zone.as_deref());
        self.line("BEGIN", "VEVENT");
        self.text("UID", Some(&entry.uid));
        self.line("SEQUENCE", &entry.sequence.to_string());
        self.line("DTSTAMP", &stamp(entry.stamp.unwrap_or_default()));
        if let Some(original) = &entry.recurrence_id {
            match entry.recurrence_at.and_then(|at| jiff::Timestamp::from_second(at).ok()) {
                Some(at) => self.line("RECURRENCE-ID", &utc(TimeZone::UTC.to_datetime(at))),
                None => self.time("RECURRENCE-ID", original, zone, 0),
            }
        }
        if let Some(EntryTimes { start, end, all_day, .. }) = &entry.times {
            // The last day is inclusive here and exclusive in the object.
            for (name, local, days) in [("DTSTART", start, 0), ("DTEND", end, i32::from(*all_day))] {
                self.time_of(name, local, zones, days);
            }
        }
        if let Some(EntryRecurrence { rule, exdates, rdates }) = recurrence {
            self.line("RRULE", &sanitize::single_line(rule));
            for (name, dates) in [("EXDATE", exdates), ("RDATE", rdates)] {
                for date in dates {
                    self.time_of(name, date, zones, 0);
                }
            }
        }
        self.text("SUMMARY", entry.title.as_deref());
        self.text("LOCATION", entry.location.as_deref());
        self.text("DESCRIPTION", entry.description.as_deref());
        // A cancellation for some attendees has no status (RFC 5546, section 3.2.5).
        let is_partial = method == CalendarMethod::Cancel && entry.status != EntryStatus::Cancelled;
        if method != CalendarMethod::Reply && !is_partial {
            self.line("STATUS", &entry.status.as_str().to_ascii_uppercase());
        }
        if let Some(organizer) = &entry.organizer {
            self.person("ORGANIZER", "", organizer);
        }
        if method != CalendarMethod::Publish {
            let is_asked = method == CalendarMethod::Request && entry.status != EntryStatus::Cancelled;
            let asks = if is_asked { ";RSVP=TRUE" } else { "" };
            for attendee in &entry.attendees {
                self.person("ATTENDEE", &format!("{}{asks}", attributes(attendee)), &attendee.person);
            }
        }
        self.text("COMMENT", entry.comment.as_deref());
        self.line("END", "VEVENT");
    }

    /// Writes a folded line.
    pub(super) fn line(&mut self, name: &str, value: &str) {
        let line = format!("{name}:{value}");
        let mut rest = line.as_str();
        let mut limit = MAX_LINE_BYTES;
        while rest.len() > limit {
            let head = sanitize::truncate(rest, limit);
            self.written.push_str(head);
            self.written.push_str("\r\n ");
            rest = rest.get(head.len()..).unwrap_or_default();
            limit = MAX_LINE_BYTES - 1;
        }
        self.written.push_str(rest);
        self.written.push_str("\r\n");
    }

    /// Writes a text with its escapes (RFC 5545, section 3.3.11).
    pub(super) fn text(&mut self, name: &str, text: Option<&str>) {
        let Some(text) = text else { return };
        let text = sanitize::normalize_body(text);
        let kept: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        let escaped = kept.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,").replace('\n', "\\n");
        self.line(name, &escaped);
    }

    /// Writes a time in its local zone if there is one, else in UTC.
    fn time_of(&mut self, name: &str, local: &str, (zone, local_zone): (Option<&str>, Option<&str>), days: i32) {
        match local_zone {
            // The time has no zone by which to convert it.
            Some(local_zone) => self.time(&format!("{name};TZID={local_zone}"), local, None, days),
            None => self.time(name, local, zone, days),
        }
    }

    /// Writes a local time or a day, moved by a number of days.
    fn time(&mut self, name: &str, local: &str, zone: Option<&str>, days: i32) {
        let moved = jiff::SignedDuration::from_hours(i64::from(days) * 24);
        if let Ok(time) = local.parse::<DateTime>().and_then(|time| time.checked_add(moved))
            && local.contains('T')
        {
            let instant = zone.and_then(EventZone::named).and_then(|zone| zone.zone.to_timestamp(time).ok());
            let written = match instant {
                Some(instant) => utc(TimeZone::UTC.to_datetime(instant)),
                None => time.strftime("%Y%m%dT%H%M%S").to_string(),
            };
            self.line(name, &written);
        } else if let Ok(day) = local.parse::<Date>().and_then(|day| day.checked_add(moved)) {
            self.line(&format!("{name};VALUE=DATE"), &day.strftime("%Y%m%d").to_string());
        }
    }

    /// Writes a person with the name in quotes (RFC 6868).
    fn person(&mut self, property: &str, attributes: &str, person: &CalendarPerson) {
        let name = person.name.as_deref().map(sanitize::single_line).unwrap_or_default();
        let name = name.replace('^', "^^").replace('"', "^'");
        let name = if name.is_empty() { name } else { format!(";CN=\"{name}\"") };
        self.line(&format!("{property}{attributes}{name}"), &format!("mailto:{}", person.email));
    }
}
