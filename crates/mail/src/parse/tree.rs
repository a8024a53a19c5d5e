//! Part tree of a message (RFC 2046, section 5), found in one pass over its lines.

use std::collections::HashMap;
use std::ops::Range;

use super::content::ContentFields;
use crate::wire::fields;
use crate::wire::lines::{before_line_ending, line_at};

/// Maximum number of parts; the rest of the message stays unread.
pub(crate) const MAX_PARTS: usize = 1000;
/// Maximum depth of open multiparts; a deeper one has no children.
const MAX_MULTIPART_DEPTH: usize = 300;
/// Maximum length of a boundary in bytes (RFC 2046 permits 70).
const MAX_BOUNDARY_BYTES: usize = 256;

/// A part, numbered by its index: the message is 0, the others follow in source order.
#[derive(Debug)]
pub(crate) struct ParsedPart {
    pub(crate) content: ContentFields,
    pub(crate) body: Range<usize>,
    /// Part numbers of the children of a multipart.
    pub(crate) children: Vec<usize>,
}

impl ParsedPart {
    pub(crate) fn bytes<'a>(&self, raw: &'a [u8]) -> &'a [u8] {
        raw.get(self.body.clone()).unwrap_or_default()
    }
}

/// Finds all parts. The first is the message itself, and always exists.
pub(crate) fn walk(raw: &[u8]) -> Vec<ParsedPart> {
    let mut walk = PartWalker { raw, parts: Vec::new(), open: Vec::new(), boundaries: HashMap::new(), charset: None };
    let mut at = walk.start_part(0);
    while let Some((line, next)) = line_at(raw, at) {
        let Some((depth, closing)) = walk.boundary(line) else {
            at = next;
            continue;
        };
        walk.end_part(at);
        walk.close(if closing { depth } else { depth + 1 }, at);
        if closing {
            at = next;
            continue;
        }
        if walk.parts.len() >= MAX_PARTS {
            break;
        }
        at = walk.start_part(next);
    }
    walk.end_part(raw.len());
    walk.close(0, raw.len());
    walk.parts
}

/// Returns the boundary of the top-level multipart: the named one, or the first line that looks like one.
///
/// Only the top level gets this search, because each nested part would repeat its cost.
fn boundary_of_mail(raw: &[u8], content: &ContentFields, body: usize) -> Option<Vec<u8>> {
    if !content.media().starts_with("multipart/") {
        return None;
    }
    let body = raw.get(body..)?;
    let stands = |boundary: &Vec<u8>| memchr::memmem::find(body, &[b"--", boundary.as_slice()].concat()).is_some();
    content.boundary().filter(stands).or_else(|| likely_boundary(body))
}

/// Returns the text after `--` on the first line that precedes a part.
fn likely_boundary(body: &[u8]) -> Option<Vec<u8>> {
    let mut at = 0;
    while let Some((line, next)) = line_at(body, at) {
        let begins_part = || body.get(next..next + 8).is_some_and(|start| start.eq_ignore_ascii_case(b"content-"));
        if let Some(boundary) = line.strip_prefix(b"--").map(<[u8]>::trim_ascii_end)
            && !boundary.is_empty()
            && begins_part()
        {
            return Some(boundary.to_vec());
        }
        at = next;
    }
    None
}

struct PartWalker<'a> {
    raw: &'a [u8],
    parts: Vec<ParsedPart>,
    /// Open multiparts from the outermost, with part number and boundary.
    open: Vec<(usize, Vec<u8>)>,
    /// Depths in `open` for each boundary, so a line costs one lookup at any depth.
    boundaries: HashMap<Vec<u8>, Vec<usize>>,
    /// First charset that a part names. It usually belongs to the text and applies to later file names.
    charset: Option<String>,
}

impl PartWalker<'_> {
    /// Parses the header at `at`, adds the part and returns the start of its body.
    fn start_part(&mut self, at: usize) -> usize {
        let block = fields::block(self.raw, at, |line| self.boundary(line).is_some());
        let mut content = ContentFields::read(self.raw.get(at..block.end).unwrap_or_default(), self.charset.as_deref());
        self.charset = self.charset.take().or_else(|| content.charset());
        let number = self.parts.len();
        if let Some((parent, _)) = self.open.last()
            && let Some(parent) = self.parts.get_mut(*parent)
        {
            // The text of an encrypted message usually has no name but needs one.
            if parent.content.media() == "multipart/encrypted" && content.media() == "application/octet-stream" {
                content.name.get_or_insert_with(|| "encrypted.asc".to_owned());
            }
            // Parts of a digest default to messages (RFC 2046, section 5.1.5).
            if content.media_type.is_none() && parent.content.media() == "multipart/digest" {
                content.media_type = Some("message/rfc822".to_owned());
            }
            parent.children.push(number);
        }
        let boundary = if number == 0 { boundary_of_mail(self.raw, &content, block.body) } else { content.boundary() };
        self.parts.push(ParsedPart { content, body: block.body..usize::MAX, children: Vec::new() });
        if let Some(boundary) = boundary
            && self.open.len() < MAX_MULTIPART_DEPTH
            && boundary.len() <= MAX_BOUNDARY_BYTES
        {
            let depth = self.open.len();
            self.boundaries.entry(boundary.clone()).or_default().push(depth);
            self.open.push((number, boundary));
        }
        block.body
    }

    /// Ends the last part before the line at `at`, unless it has ended or is an open multipart.
    fn end_part(&mut self, at: usize) {
        let last = self.parts.len().saturating_sub(1);
        if self.open.last().is_none_or(|(open, _)| *open != last) {
            self.end_body(last, at);
        }
    }

    /// Closes the multiparts from `depth` on before the line at `at`.
    fn close(&mut self, depth: usize, at: usize) {
        while self.open.len() > depth {
            let Some((number, boundary)) = self.open.pop() else {
                return;
            };
            if let Some(depths) = self.boundaries.get_mut(&boundary) {
                depths.pop();
                if depths.is_empty() {
                    self.boundaries.remove(&boundary);
                }
            }
            self.end_body(number, at);
        }
    }

    fn end_body(&mut self, number: usize, at: usize) {
        if let Some(part) = self.parts.get_mut(number)
            && part.body.end == usize::MAX
        {
            let start = part.body.start;
            let end = if at == self.raw.len() { at } else { before_line_ending(self.raw, start, at) };
            part.body.end = end.max(start);
        }
    }

    /// Returns the depth of the innermost multipart with this boundary line, and true for a closing line.
    fn boundary(&self, line: &[u8]) -> Option<(usize, bool)> {
        let text = line.strip_prefix(b"--")?.trim_ascii_end();
        if text.len() > MAX_BOUNDARY_BYTES + 2 || self.boundaries.is_empty() {
            return None;
        }
        let depth = |text: &[u8]| self.boundaries.get(text).and_then(|depths| depths.last().copied());
        if let Some(depth) = depth(text) {
            return Some((depth, false));
        }
        depth(text.strip_suffix(b"--")?.trim_ascii_end()).map(|depth| (depth, true))
    }
}
