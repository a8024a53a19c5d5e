//! Files inside parts: those in `winmail.dat` and uuencoded ones in text.
//!
//! Their numbers follow those of the parts, in the order of these.

use std::borrow::Cow;
use std::ops::Range;

use super::body::MAX_BODY_BYTES;
use super::disposition::Disposition;
use super::tnef;
use super::tree::{MAX_PARTS, ParsedPart};
use crate::wire::transfer::TransferEncoding;
use crate::wire::{charset, uuencode};

/// A file inside a part.
#[derive(Debug)]
pub(crate) struct EnclosedFile {
    /// Name as given, not yet safe.
    pub(crate) name: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) content_id: Option<String>,
    /// Range in the decoded part.
    range: Range<usize>,
    is_uuencoded: bool,
}

impl EnclosedFile {
    /// Returns the bytes of the file from those of its part.
    pub(crate) fn content<'a>(&self, part: &'a [u8]) -> Cow<'a, [u8]> {
        let bytes = part.get(self.range.clone()).unwrap_or_default();
        if self.is_uuencoded { Cow::Owned(uuencode::decode(bytes)) } else { Cow::Borrowed(bytes) }
    }
}

/// Iterates over the decoded parts with files, and these files.
///
/// Parts and files together are at most [`MAX_PARTS`]. `lines` is the message in the form from which its text is read,
/// so both find the same files.
pub(crate) fn open<'a>(
    lines: &'a [u8],
    parts: &'a [ParsedPart],
) -> impl Iterator<Item = (Cow<'a, [u8]>, Vec<EnclosedFile>)> {
    let mut remaining = MAX_PARTS.saturating_sub(parts.len());
    parts.iter().filter(|part| is_tnef(part) || may_hold_files(lines, part)).map_while(move |part| {
        let content = Some(part.content.encoding.decode(part.bytes(lines))).filter(|_| remaining > 0)?;
        let mut files = if is_tnef(part) { in_tnef(&content) } else { in_text(&content, part, remaining) };
        files.truncate(remaining);
        remaining -= files.len();
        Some((content, files))
    })
}

/// Returns true if the part may be a `winmail.dat`.
pub(crate) fn is_tnef(part: &ParsedPart) -> bool {
    let name = part.content.name.as_deref().unwrap_or_default();
    part.children.is_empty()
        && (matches!(part.content.media(), "application/ms-tnef" | "application/vnd.ms-tnef")
            || name.eq_ignore_ascii_case("winmail.dat"))
}

/// Returns true for a text part that may contain files, before it is decoded. Programs that write files into text do
/// not use base64.
pub(crate) fn may_hold_files(raw: &[u8], part: &ParsedPart) -> bool {
    let content = &part.content;
    part.children.is_empty()
        && content.media() == "text/plain"
        && content.name.is_none()
        && content.disposition != Some(Disposition::Attachment)
        && content.encoding != TransferEncoding::Base64
        && memchr::memmem::find(part.bytes(raw), b"begin ").is_some()
}

fn in_tnef(content: &[u8]) -> Vec<EnclosedFile> {
    let files = tnef::open(content, MAX_BODY_BYTES).files.into_iter().map(|file| EnclosedFile {
        name: file.name,
        media_type: file.media_type,
        content_id: file.content_id,
        range: file.content,
        is_uuencoded: false,
    });
    files.collect()
}

fn in_text(content: &[u8], part: &ParsedPart, remaining: usize) -> Vec<EnclosedFile> {
    let charset = part.content.charset();
    let files = uuencode::blocks(content).take(remaining).map(|block| EnclosedFile {
        name: content.get(block.name).map(|name| charset::decode(charset.as_deref(), name)),
        media_type: None,
        content_id: None,
        range: block.data,
        is_uuencoded: true,
    });
    files.collect()
}
