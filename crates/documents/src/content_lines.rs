//! iCalendar (RFC 5545) and vCard (RFC 6350, also 2.1 and 3.0) as lines of words.

use crate::DocumentError;
use crate::output::TextOutput;
use crate::text::decode_bytes;

/// Maximum depth of nested components.
const MAX_DEPTH: usize = 8;

/// The two formats that share content lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vocabulary {
    Calendar,
    ContactCard,
}

/// Properties that are shown, with their words.
const CALENDAR: &[(&str, &str)] = &[
    ("METHOD", "Method"),
    ("SUMMARY", "Summary"),
    ("DTSTART", "Start"),
    ("DTEND", "End"),
    ("DUE", "Due"),
    ("DURATION", "Duration"),
    ("RRULE", "Repeats"),
    ("LOCATION", "Location"),
    ("ORGANIZER", "Organizer"),
    ("ATTENDEE", "Attendee"),
    ("STATUS", "Status"),
    ("URL", "URL"),
    ("DESCRIPTION", "Description"),
    ("COMMENT", "Comment"),
];
const CONTACT_CARD: &[(&str, &str)] = &[
    ("FN", "Name"),
    ("NICKNAME", "Nickname"),
    ("ORG", "Organization"),
    ("TITLE", "Title"),
    ("ROLE", "Role"),
    ("EMAIL", "Email"),
    ("TEL", "Telephone"),
    ("ADR", "Address"),
    ("URL", "URL"),
    ("BDAY", "Birthday"),
    ("NOTE", "Note"),
];

/// Writes the shown properties of each component.
pub(crate) fn read(content: &[u8], vocabulary: Vocabulary, output: &mut TextOutput) -> Result<(), DocumentError> {
    let shown = match vocabulary {
        Vocabulary::Calendar => CALENDAR,
        Vocabulary::ContactCard => CONTACT_CARD,
    };
    let mut open: Vec<String> = Vec::new();
    let mut is_content = false;
    for line in unfold(&decode_bytes(content, None)) {
        if output.is_full() {
            break;
        }
        let Some(property) = ContentLine::read(&line) else { continue };
        match property.name.as_str() {
            "BEGIN" => {
                let component = property.value.trim().to_ascii_uppercase();
                is_content |= matches!(component.as_str(), "VCALENDAR" | "VCARD");
                if let Some(title) = title(&component) {
                    output.heading(2, title);
                }
                if open.len() < MAX_DEPTH {
                    open.push(component);
                }
            }
            "END" => {
                open.pop();
            }
            // Zones and alarms have properties of the same names.
            _ if open.iter().any(|component| matches!(component.as_str(), "VTIMEZONE" | "VALARM")) => {}
            name => {
                if let Some((_, label)) = shown.iter().find(|(property, _)| *property == name) {
                    output.item(0, &format!("{label}: {}", property.words()));
                }
            }
        }
    }
    if is_content { Ok(()) } else { Err(DocumentError::Malformed) }
}

fn title(component: &str) -> Option<&'static str> {
    match component {
        "VEVENT" => Some("Event"),
        "VTODO" => Some("Task"),
        "VJOURNAL" => Some("Journal entry"),
        "VFREEBUSY" => Some("Free and busy times"),
        "VCARD" => Some("Contact"),
        _ => None,
    }
}

/// Joins folded lines. Quoted-printable values of vCard 2.1 end their lines with `=`.
fn unfold(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let folded = line.strip_prefix([' ', '\t']);
        match lines.last_mut() {
            Some(last) if folded.is_some() => last.push_str(folded.unwrap_or_default()),
            Some(last) if last.ends_with('=') && is_quoted_printable(last) => {
                last.pop();
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

fn is_quoted_printable(line: &str) -> bool {
    line.split(':').next().unwrap_or_default().to_ascii_uppercase().contains("QUOTED-PRINTABLE")
}

/// A property with its parameters.
#[derive(Debug)]
struct ContentLine {
    name: String,
    parameters: Vec<(String, String)>,
    value: String,
}

impl ContentLine {
    fn read(line: &str) -> Option<Self> {
        let mut is_quoted = false;
        let colon = line.char_indices().find(|(_, character)| {
            is_quoted ^= *character == '"';
            *character == ':' && !is_quoted
        });
        let (head, value) = line.split_at(colon?.0);
        let mut parts = split_unquoted(head).into_iter();
        let name = parts.next()?;
        // vCard may group properties: `item1.TEL`.
        let name = name.rsplit('.').next().unwrap_or_default().trim().to_ascii_uppercase();
        let parameters = parts.map(|part| {
            let (name, value) = part.split_once('=').unwrap_or(("ENCODING", part));
            (name.to_ascii_uppercase(), value.trim_matches('"').to_owned())
        });
        Some(Self { name, parameters: parameters.collect(), value: value.get(1..)?.to_owned() })
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(parameter, _)| parameter == name).map(|(_, value)| value.as_str())
    }

    fn words(&self) -> String {
        let encoding = self.parameter("ENCODING").unwrap_or_default();
        let value = if encoding.eq_ignore_ascii_case("quoted-printable") {
            decode_bytes(&quoted_printable(&self.value), None)
        } else {
            unescape(&self.value)
        };
        let value = match self.name.as_str() {
            // The parts of an address, and a company with its units.
            "ADR" | "ORG" => {
                let parts = value.split(';').map(str::trim).filter(|part| !part.is_empty());
                parts.collect::<Vec<_>>().join(", ")
            }
            "DTSTART" | "DTEND" | "DUE" => time(&value),
            "ORGANIZER" | "ATTENDEE" | "TEL" => value
                .split_once(':')
                .filter(|(scheme, _)| is_scheme(scheme))
                .map_or(value.as_str(), |(_, rest)| rest)
                .to_owned(),
            _ => value,
        };
        let named = self.parameter("CN").map(|name| format!("{name} <{value}>")).unwrap_or(value);
        let notes = [self.parameter("TZID"), self.parameter("PARTSTAT")];
        notes.into_iter().flatten().fold(named, |words, note| format!("{words} ({note})"))
    }
}

fn is_scheme(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "mailto" | "tel")
}

fn split_unquoted(head: &str) -> Vec<&str> {
    let mut is_quoted = false;
    head.split(move |character| {
        is_quoted ^= character == '"';
        character == ';' && !is_quoted
    })
    .collect()
}

/// Writes `20261201T090000Z` as `2026-12-01 09:00 UTC`; other values stay.
fn time(value: &str) -> String {
    let digits =
        |range: std::ops::Range<usize>| value.get(range).filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
    let (Some(year), Some(month), Some(day)) = (digits(0..4), digits(4..6), digits(6..8)) else {
        return value.to_owned();
    };
    match (digits(9..11), digits(11..13), value.get(8..9)) {
        (Some(hour), Some(minute), Some("T")) => {
            let zone = if value.ends_with('Z') { " UTC" } else { "" };
            format!("{year}-{month}-{day} {hour}:{minute}{zone}")
        }
        _ => format!("{year}-{month}-{day}"),
    }
}

/// Removes the escapes of RFC 5545, section 3.3.11.
fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n' | 'N') => text.push('\n'),
                Some(other) => text.push(other),
                None => {}
            },
            _ => text.push(character),
        }
    }
    text
}

fn quoted_printable(value: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| *first == b'=').and_then(|hex| str::from_utf8(hex).ok());
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = after.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    bytes
}
