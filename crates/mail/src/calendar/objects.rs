//! Components of a calendar object: its own properties, events and time zones.

use super::content_lines::ContentLine;

/// Maximum number of lines that are read.
const MAX_LINES: usize = 20_000;
/// Maximum depth of components; a deeper object is read to there.
const MAX_DEPTH: usize = 8;
/// Maximum number of time zones, of observances of one, and of events.
const MAX_ZONES: usize = 50;
const MAX_OBSERVANCES: usize = 50;
const MAX_EVENTS: usize = 50;

/// A calendar object by its parts.
#[derive(Debug, Default)]
pub(super) struct CalendarObject<'a> {
    lines: Vec<ContentLine<'a>>,
    /// Properties of each event.
    pub(super) events: Vec<Vec<ContentLine<'a>>>,
    /// Time zones.
    pub(super) zones: Vec<ZoneObject<'a>>,
}

/// A `VTIMEZONE` component.
#[derive(Debug, Default)]
pub(super) struct ZoneObject<'a> {
    /// Its own properties.
    pub(super) lines: Vec<ContentLine<'a>>,
    /// Properties of each observance, and whether it is daylight saving time.
    pub(super) observances: Vec<(bool, Vec<ContentLine<'a>>)>,
}

impl<'a> CalendarObject<'a> {
    /// Returns the value of a property of the object itself.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        value(&self.lines, name)
    }
}

/// Returns the value of the first property with this name.
pub(super) fn value<'a>(lines: &[ContentLine<'a>], name: &str) -> Option<&'a str> {
    lines.iter().find(|line| line.is(name)).map(|line| line.value.trim())
}

/// Sorts the lines of an unfolded object into its components; lines of all other components are left out.
pub(super) fn read(unfolded: &str) -> CalendarObject<'_> {
    let mut object = CalendarObject::default();
    let mut path: Vec<String> = Vec::new();
    for line in unfolded.lines().take(MAX_LINES).filter_map(ContentLine::parse) {
        if line.is("BEGIN") {
            if path.len() >= MAX_DEPTH {
                break;
            }
            path.push(line.value.trim().to_ascii_uppercase());
            open(&mut object, &path);
        } else if line.is("END") {
            // A component without its end is closed with the one around it.
            let name = line.value.trim();
            if let Some(depth) = path.iter().rposition(|open| open.eq_ignore_ascii_case(name)) {
                path.truncate(depth);
            }
        } else {
            add(&mut object, &path, line);
        }
    }
    object
}

fn open(object: &mut CalendarObject<'_>, path: &[String]) {
    match names(path).as_slice() {
        ["VCALENDAR", "VEVENT"] if object.events.len() < MAX_EVENTS => object.events.push(Vec::new()),
        ["VCALENDAR", "VTIMEZONE"] if object.zones.len() < MAX_ZONES => object.zones.push(ZoneObject::default()),
        ["VCALENDAR", "VTIMEZONE", kind @ ("STANDARD" | "DAYLIGHT")] => {
            if let Some(zone) = object.zones.last_mut().filter(|zone| zone.observances.len() < MAX_OBSERVANCES) {
                zone.observances.push((*kind == "DAYLIGHT", Vec::new()));
            }
        }
        _ => {}
    }
}

fn add<'a>(object: &mut CalendarObject<'a>, path: &[String], line: ContentLine<'a>) {
    let lines = match names(path).as_slice() {
        ["VCALENDAR"] => Some(&mut object.lines),
        ["VCALENDAR", "VEVENT"] => object.events.last_mut(),
        ["VCALENDAR", "VTIMEZONE"] => object.zones.last_mut().map(|zone| &mut zone.lines),
        ["VCALENDAR", "VTIMEZONE", "STANDARD" | "DAYLIGHT"] => {
            object.zones.last_mut().and_then(|zone| zone.observances.last_mut()).map(|(_, lines)| lines)
        }
        _ => None,
    };
    if let Some(lines) = lines {
        lines.push(line);
    }
}

fn names(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}
