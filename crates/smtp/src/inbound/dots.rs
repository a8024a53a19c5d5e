//! Where the content of DATA ends, and the dots that are not part of it (RFC 5321 section 4.5.2).

use memchr::memchr;

use super::content::Content;

/// Follows the content from line to line. Only CR LF ends a line, so only CR LF . CR LF ends the content: every other
/// spelling (LF . LF, CR LF . LF, CR . CR and so on) is content, by which no second mail can be smuggled in.
#[derive(Debug)]
pub(super) struct Dots {
    at: At,
}

#[derive(Debug, Clone, Copy)]
enum At {
    LineStart,
    Text,
    /// After a CR.
    Cr,
    /// After a dot that starts a line.
    Dot,
    /// After a CR that follows such a dot.
    DotCr,
}

impl Dots {
    pub(super) fn new() -> Self {
        Self { at: At::LineStart }
    }

    /// Passes octets on to the content, without the dots that were stuffed in. Answers how many were used when the
    /// content has ended, `None` when all were used and it goes on.
    pub(super) fn feed(&mut self, input: &[u8], content: &mut Content) -> Option<usize> {
        let mut used = 0;
        while let Some(&octet) = input.get(used) {
            match (self.at, octet) {
                (At::DotCr, b'\n') => return Some(used + 1),
                (At::DotCr, _) => {
                    // The dot was stuffed in, the CR after it was not.
                    content.push(b"\r");
                    self.at = At::Cr;
                    continue;
                }
                (At::LineStart, b'.') => self.at = At::Dot,
                (At::Dot, b'\r') => self.at = At::DotCr,
                (At::Cr, b'\n') => {
                    content.push(b"\n");
                    self.at = At::LineStart;
                }
                (At::Cr | At::LineStart | At::Dot | At::Text, _) => {
                    let rest = &input[used..];
                    let length = memchr(b'\r', rest).map_or(rest.len(), |cr| cr + 1);
                    content.push(&rest[..length]);
                    self.at = if rest[..length].ends_with(b"\r") { At::Cr } else { At::Text };
                    used += length;
                    continue;
                }
            }
            used += 1;
        }
        None
    }
}
