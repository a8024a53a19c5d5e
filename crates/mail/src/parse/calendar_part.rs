//! Calendar part of a message (RFC 6047).

use super::tree::ParsedPart;
use crate::calendar::{CalendarMessage, MAX_CALENDAR_BYTES, read_calendar};
use crate::wire::charset;

/// Reads the first part that is a calendar object: by its type, or else by its file name.
///
/// Many programs send the same object twice, as an alternative of the text and as a file.
pub(super) fn read(raw: &[u8], parts: &[ParsedPart]) -> Option<CalendarMessage> {
    let find = |matches: fn(&ParsedPart) -> bool| {
        parts.iter().filter(|part| part.children.is_empty()).find(|part| matches(part))
    };
    let part = find(is_typed).or_else(|| find(is_named))?;
    let bytes = part.content.encoding.decode(part.bytes(raw));
    if bytes.len() > MAX_CALENDAR_BYTES {
        return None;
    }
    let text = charset::decode(part.content.charset().as_deref(), &bytes);
    read_calendar(&text, part.content.parameters.get("method").as_deref())
}

fn is_typed(part: &ParsedPart) -> bool {
    matches!(part.content.media(), "text/calendar" | "application/ics")
}

fn is_named(part: &ParsedPart) -> bool {
    let name = part.content.name.as_deref().unwrap_or_default();
    name.len() > 4 && name.get(name.len() - 4..).is_some_and(|end| end.eq_ignore_ascii_case(".ics"))
}
