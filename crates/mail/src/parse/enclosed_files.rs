//! Files within parts that are no multiparts: those of `winmail.dat`, and those that stand in text by `uuencode`.
//!
//! They are numbered behind the parts of the mail, in the order of these.

use std::borrow::Cow;
use std::ops::Range;

use super::attachment::Disposition;
use super::body::MAX_BODY_BYTES;
use super::tnef;
use super::tree::{MAX_PARTS, ParsedPart};
use crate::wire::transfer::TransferEncoding;
use crate::wire::{charset, uuencode};

/// A file within a part.
#[derive(Debug)]
pub(crate) struct EnclosedFile {
    /// The name as it was given, not yet made safe.
    pub(crate) name: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) content_id: Option<String>,
    /// Where it is in the decoded part.
    range: Range<usize>,
    is_uuencoded: bool,
}

impl EnclosedFile {
    /// The octets of the file, from those of its part.
    pub(crate) fn content<'a>(&self, part: &'a [u8]) -> Cow<'a, [u8]> {
        let bytes = part.get(self.range.clone()).unwrap_or_default();
        if self.is_uuencoded { Cow::Owned(uuencode::decode(bytes)) } else { Cow::Borrowed(bytes) }
    }
}

/// Every part that holds files, decoded, with these: as many as the mail may have parts beside those it has. Of `lines`,
/// the mail as its text is read, so that what is taken out of the text is what is found here.
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

/// Whether the part may be a `winmail.dat`.
pub(crate) fn is_tnef(part: &ParsedPart) -> bool {
    let name = part.content.name.as_deref().unwrap_or_default();
    part.children.is_empty()
        && (matches!(part.content.media(), "application/ms-tnef" | "application/vnd.ms-tnef")
            || name.eq_ignore_ascii_case("winmail.dat"))
}

/// Whether the part is text that may have files in it, as far as can be told before it is decoded. Programs that write
/// files into text do not wrap it in base64.
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
