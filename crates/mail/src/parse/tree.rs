//! The parts of a mail (RFC 2046 section 5), found in one walk over its lines.

use std::collections::HashMap;
use std::ops::Range;

use super::content::ContentFields;
use crate::wire::fields;
use crate::wire::lines::{before_line_ending, line_at};

/// How many parts are kept; what follows them is left unread.
pub(crate) const MAX_PARTS: usize = 1000;
/// How deep multiparts are opened; a deeper one is a part without parts.
const MAX_MULTIPART_DEPTH: usize = 300;
/// The longest boundary that is looked for (RFC 2046 allows 70).
const MAX_BOUNDARY_BYTES: usize = 256;

/// A part, numbered by its place in the list: the mail itself is 0, then in the order of their first octets.
#[derive(Debug)]
pub(crate) struct ParsedPart {
    pub(crate) content: ContentFields,
    pub(crate) body: Range<usize>,
    /// The numbers of the parts of a multipart.
    pub(crate) children: Vec<usize>,
}

impl ParsedPart {
    pub(crate) fn bytes<'a>(&self, raw: &'a [u8]) -> &'a [u8] {
        raw.get(self.body.clone()).unwrap_or_default()
    }
}

/// Finds all parts. The first is the mail itself; there is always one.
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

/// The boundary of the mail's own parts: the one its header names, or, if no line has that, the first line that looks
/// like one. Only the mail itself is worth the search, whose cost each part inside would add once more.
fn boundary_of_mail(raw: &[u8], content: &ContentFields, body: usize) -> Option<Vec<u8>> {
    if !content.media().starts_with("multipart/") {
        return None;
    }
    let body = raw.get(body..)?;
    let stands = |boundary: &Vec<u8>| memchr::memmem::find(body, &[b"--", boundary.as_slice()].concat()).is_some();
    content.boundary().filter(stands).or_else(|| likely_boundary(body))
}

/// What stands behind `--` on the first line below which a part begins.
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
    /// The multiparts around the current line, outermost first: part number and boundary.
    open: Vec<(usize, Vec<u8>)>,
    /// For each boundary the depths in `open` that use it, so that a line costs one look-up however deep it is.
    boundaries: HashMap<Vec<u8>, Vec<usize>>,
    /// The first charset that a part names: that of the text, by which the names of files behind it are read.
    charset: Option<String>,
}

impl PartWalker<'_> {
    /// Reads the header at `at`, adds the part, and gives where its body starts.
    fn start_part(&mut self, at: usize) -> usize {
        let block = fields::block(self.raw, at, |line| self.boundary(line).is_some());
        let mut content = ContentFields::read(self.raw.get(at..block.end).unwrap_or_default(), self.charset.as_deref());
        self.charset = self.charset.take().or_else(|| content.charset());
        let number = self.parts.len();
        if let Some((parent, _)) = self.open.last()
            && let Some(parent) = self.parts.get_mut(*parent)
        {
            // The text of an encrypted mail bears no name, and is known by one.
            if parent.content.media() == "multipart/encrypted" && content.media() == "application/octet-stream" {
                content.name.get_or_insert_with(|| "encrypted.asc".to_owned());
            }
            // Parts of a digest are mails unless they say otherwise (RFC 2046 section 5.1.5).
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

    /// Ends the last part before the line that starts at `at`, unless it has ended or is an open multipart.
    fn end_part(&mut self, at: usize) {
        let last = self.parts.len().saturating_sub(1);
        if self.open.last().is_none_or(|(open, _)| *open != last) {
            self.end_body(last, at);
        }
    }

    /// Closes every multipart at `depth` and deeper before the line that starts at `at`.
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

    /// The innermost open multipart whose boundary the line is, and whether the line ends it.
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
