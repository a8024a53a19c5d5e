//! Dot-unstuffing of DATA content and detection of its end (RFC 5321, section 4.5.2).

use memchr::memchr;

use super::content::ContentBuffer;

/// State machine over the lines of the content.
///
/// Only CRLF ends a line, so only CRLF.CRLF ends the content. All other sequences (LF.LF, CRLF.LF, CR.CR and so on) are
/// content, which prevents SMTP smuggling.
#[derive(Debug)]
pub(super) struct DotUnstuffing {
    at: DotState,
}

#[derive(Debug, Clone, Copy)]
enum DotState {
    LineStart,
    Text,
    /// After a CR.
    Cr,
    /// After a dot at the start of a line.
    Dot,
    /// After a CR that follows such a dot.
    DotCr,
}

impl DotUnstuffing {
    pub(super) fn new() -> Self {
        Self { at: DotState::LineStart }
    }

    /// Passes bytes to the content without stuffed dots. Returns the number of used bytes when the content has ended,
    /// `None` otherwise.
    pub(super) fn feed(&mut self, input: &[u8], content: &mut ContentBuffer) -> Option<usize> {
        let mut used = 0;
        while let Some(&byte) = input.get(used) {
            match (self.at, byte) {
                (DotState::DotCr, b'\n') => return Some(used + 1),
                (DotState::DotCr, _) => {
                    // The dot was stuffed, the CR after it was not.
                    content.push(b"\r");
                    self.at = DotState::Cr;
                    continue;
                }
                (DotState::LineStart, b'.') => self.at = DotState::Dot,
                (DotState::Dot, b'\r') => self.at = DotState::DotCr,
                (DotState::Cr, b'\n') => {
                    content.push(b"\n");
                    self.at = DotState::LineStart;
                }
                (DotState::Cr | DotState::LineStart | DotState::Dot | DotState::Text, _) => {
                    let rest = &input[used..];
                    let length = memchr(b'\r', rest).map_or(rest.len(), |cr| cr + 1);
                    content.push(&rest[..length]);
                    self.at = if rest[..length].ends_with(b"\r") { DotState::Cr } else { DotState::Text };
                    used += length;
                    continue;
                }
            }
            used += 1;
        }
        None
    }
}
