//! Lines behind which everything is another mail.

use super::attribution;
use super::lines::{bare, is_blank, is_quoted, starts_with};

/// How many lines a block of header lines is looked at.
const HEADER_LINES: usize = 8;

/// A place where another mail starts without each of its lines being marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    /// It is quoted: everything from this line on goes.
    Quoted(usize),
    /// It is passed on: everything from this line on stays.
    Forwarded(usize),
}

impl Marker {
    pub(crate) fn line(self) -> usize {
        match self {
            Self::Quoted(line) | Self::Forwarded(line) => line,
        }
    }
}

/// The first such place.
pub(crate) fn first(all: &[&str]) -> Option<Marker> {
    for (at, line) in all.iter().enumerate() {
        if is_blank(line) || is_quoted(line) {
            continue;
        }
        if is_forward(line) {
            return Some(Marker::Forwarded(at));
        }
        if is_original_message(line) || is_header_block(all, at) {
            return Some(Marker::Quoted(at));
        }
        if let Some(found) = attribution::ending_at(all, at, 0)
            && found.is_certain
            && !is_followed_by_quote(all, found.end)
        {
            return Some(Marker::Quoted(found.start));
        }
    }
    None
}

/// Whether the next line that is not blank is a quoted one; one blank line may stand between.
pub(crate) fn is_followed_by_quote(all: &[&str], from: usize) -> bool {
    let mut behind = all.iter().skip(from).take(3).skip_while(|line| is_blank(line));
    behind.next().is_some_and(|line| is_quoted(line))
}

/// Whether a line is one with which a mail that is passed on begins.
pub(crate) fn is_forward(line: &str) -> bool {
    let line = line.trim();
    let inner = line.trim_matches(|c| c == '-' || c == ' ');
    let dashed = line.starts_with("--");
    (dashed && ["Forwarded message", "Forwarded by "].iter().any(|text| starts_with(inner, text)))
        || starts_with(line, "Begin forwarded message:")
}

fn is_original_message(line: &str) -> bool {
    let line = bare(line);
    let inner = line.trim_matches(|c| c == '-' || c == ' ');
    line.starts_with("--")
        && line.ends_with("--")
        && ["Original Message", "Original Appointment", "Original Mail"]
            .iter()
            .any(|text| inner.eq_ignore_ascii_case(text))
}

/// `From:`, then a time, then a recipient or the subject, without a gap: what Outlook writes above a mail.
fn is_header_block(all: &[&str], at: usize) -> bool {
    let label = |line: &str, names: &[&str]| {
        let line = bare(line);
        names.iter().any(|name| starts_with(line, name) && line.get(name.len()..).is_some_and(bare_colon))
    };
    if !all.get(at).is_some_and(|line| label(line, &["From"])) {
        return false;
    }
    let (mut time, mut subject) = (false, false);
    for line in all.iter().skip(at + 1).take(HEADER_LINES) {
        if is_blank(line) || is_quoted(line) {
            break;
        }
        time |= label(line, &["Sent", "Date"]);
        subject |= label(line, &["To", "Subject"]);
    }
    time && subject
}

/// A colon, perhaps behind the end of an emphasis.
fn bare_colon(rest: &str) -> bool {
    rest.trim_start_matches('*').starts_with(':')
}
