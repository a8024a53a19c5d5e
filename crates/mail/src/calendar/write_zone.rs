//! Definitions of time zones in calendar objects (RFC 5545, section 3.6.5).

use jiff::Timestamp;
use jiff::tz::Offset;

use super::write::ObjectWriter;
use super::zones::EventZone;

/// Maximum number of clock changes in a definition: those of 20 years. Programs that know the name of the zone read it
/// by its name.
const MAX_CHANGES: usize = 40;

/// Writes a zone with its clock changes after an instant.
pub(super) fn write_zone(out: &mut ObjectWriter, zone: &EventZone, from: Timestamp) {
    let first = zone.zone.to_offset_info(from);
    out.line("BEGIN", "VTIMEZONE");
    out.text("TZID", Some(&zone.name));
    let mut before = first.offset();
    observance(out, first.dst().is_dst(), from, (before, before));
    for change in zone.zone.following(from).take(MAX_CHANGES) {
        observance(out, change.dst().is_dst(), change.timestamp(), (before, change.offset()));
        before = change.offset();
    }
    out.line("END", "VTIMEZONE");
}

fn observance(out: &mut ObjectWriter, is_daylight: bool, at: Timestamp, (before, after): (Offset, Offset)) {
    let name = if is_daylight { "DAYLIGHT" } else { "STANDARD" };
    out.line("BEGIN", name);
    out.line("DTSTART", &before.to_datetime(at).strftime("%Y%m%dT%H%M%S").to_string());
    out.line("TZOFFSETFROM", &written(before));
    out.line("TZOFFSETTO", &written(after));
    out.line("END", name);
}

/// Writes an offset as `+0530`, with seconds where it has some.
fn written(offset: Offset) -> String {
    let seconds = offset.seconds();
    let sign = if seconds < 0 { '-' } else { '+' };
    let seconds = seconds.abs();
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if rest == 0 { format!("{sign}{hours:02}{minutes:02}") } else { format!("{sign}{hours:02}{minutes:02}{rest:02}") }
}
