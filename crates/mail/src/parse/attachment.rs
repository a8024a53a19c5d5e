//! Attachments: all parts outside the message's own text.

use std::borrow::Cow;

use super::content::{ContentFields, bare_id};
use super::disposition::Disposition;
use super::enclosed_files::{self, EnclosedFile};
use super::file_names;
use super::tree::{self, ParsedPart};
use crate::safety::{self, AttachmentRisk};
use crate::wire::fields::{self, fields};
use crate::wire::transfer::TransferEncoding;
use crate::wire::{encoded_words, lines, tokens};

/// Maximum total length in bytes of the names, types and ids of all attachments; later attachments have none.
const MAX_ATTACHMENT_TEXT_BYTES: usize = 64 * 1024;

/// A parsed attachment without its content, which [`attachment_content`] and [`attachment_contents`] return.
///
/// [`compose`](crate::compose()) accepts all its properties, so it can be forwarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedAttachment {
    /// Part number for [`attachment_content`]; the numbers of files inside parts follow those of the parts.
    pub part: usize,
    /// Safe file name: one path element, no control characters, at most 255 bytes.
    pub filename: Option<String>,
    /// `type/subtype` in lower case, never a multipart: an unopened one is `application/octet-stream`. `None` if the
    /// sender gave no usable type.
    pub content_type: Option<String>,
    /// Disposition given by the sender.
    pub disposition: Option<Disposition>,
    /// Content-ID without brackets, as `cid:` links name it; `None` if unusable.
    pub content_id: Option<String>,
    /// Decoded size in bytes.
    pub size: u64,
    /// Risk that name and content show.
    pub risk: Option<AttachmentRisk>,
}

/// Returns the decoded bytes of a part, by the number in [`ParsedAttachment::part`].
///
/// An attached message yields its raw bytes. Returns `None` for an unknown part or a multipart.
#[must_use]
pub fn attachment_content(raw: &[u8], part: usize) -> Option<Vec<u8>> {
    attachment_contents(raw, &[part]).pop().flatten()
}

/// Returns the decoded bytes of each of these parts in one walk, like [`attachment_content`].
#[must_use]
pub fn attachment_contents(raw: &[u8], numbers: &[usize]) -> Vec<Option<Vec<u8>>> {
    let lines = lines::readable(raw);
    let parts = tree::walk(&lines);
    let direct = |number: &usize| {
        let part = parts.get(*number).filter(|part| part.children.is_empty())?;
        Some(content(raw, &lines, part).into_owned())
    };
    let mut contents: Vec<Option<Vec<u8>>> = numbers.iter().map(direct).collect();
    let mut first = parts.len();
    let mut opened = enclosed_files::open(&lines, &parts);
    while numbers.iter().any(|number| *number >= first)
        && let Some((part, files)) = opened.next()
    {
        for (number, found) in numbers.iter().zip(&mut contents) {
            let file = number.checked_sub(first).and_then(|at| files.get(at));
            *found = file.map(|file| file.content(&part).into_owned()).or(found.take());
        }
        first += files.len();
    }
    contents
}

/// Returns the decoded bytes of a part: unencoded content from the raw message, encoded content from its normalized
/// lines.
fn content<'a>(raw: &'a [u8], lines: &'a [u8], part: &ParsedPart) -> Cow<'a, [u8]> {
    let bytes = if part.content.encoding == TransferEncoding::Identity { raw } else { lines };
    part.content.encoding.decode(part.bytes(bytes))
}

/// Describes these parts and the files inside parts as attachments.
///
/// `lines` is the result of [`lines::readable`] for `raw`.
pub(crate) fn describe_all(raw: &[u8], lines: &[u8], parts: &[ParsedPart], numbers: &[usize]) -> Vec<ParsedAttachment> {
    let mut remaining = MAX_ATTACHMENT_TEXT_BYTES;
    let direct = numbers.iter().filter_map(|&number| {
        let part = parts.get(number)?;
        Some(describe(&content(raw, lines, part), number, part))
    });
    let enclosed = enclosed_files::open(lines, parts).flat_map(|(content, files)| {
        let described = files.iter().map(|file| describe_enclosed(file, &content));
        described.collect::<Vec<_>>()
    });
    let enclosed = (parts.len()..).zip(enclosed).map(|(part, attachment)| ParsedAttachment { part, ..attachment });
    let described = direct.chain(enclosed).map(|mut attachment| {
        for words in [&mut attachment.filename, &mut attachment.content_type, &mut attachment.content_id] {
            let bytes = words.as_ref().map_or(0, String::len);
            match remaining.checked_sub(bytes) {
                Some(left) => remaining = left,
                None => *words = None,
            }
        }
        attachment
    });
    described.collect()
}

/// Describes part `number` with this content as an attachment.
fn describe(content: &[u8], number: usize, part: &ParsedPart) -> ParsedAttachment {
    let given = part.content.name.as_deref().and_then(file_names::safe);
    let media = part.content.media();
    let usual = || match media {
        "message/rfc822" | "message/global" => Some(mail_name(content)),
        _ => file_names::of_type(media).map(str::to_owned),
    };
    let filename = given.or_else(usual);
    ParsedAttachment {
        part: number,
        risk: safety::attachment_risk(filename.as_deref(), content),
        filename,
        content_type: content_type(&part.content),
        disposition: part.content.disposition,
        content_id: part.content.id.clone(),
        size: content.len() as u64,
    }
}

/// Describes a file inside the part with this content; the caller sets its number.
fn describe_enclosed(file: &EnclosedFile, content: &[u8]) -> ParsedAttachment {
    let filename = file.name.as_deref().and_then(file_names::safe);
    let given = file.media_type.as_deref().filter(|media| tokens::is_media_type(media));
    let bytes = file.content(content);
    ParsedAttachment {
        part: 0,
        content_type: given
            .map(str::to_ascii_lowercase)
            .or_else(|| filename.as_deref().and_then(file_names::type_of).map(str::to_owned)),
        disposition: Some(Disposition::Attachment),
        content_id: file.content_id.as_deref().and_then(bare_id),
        size: bytes.len() as u64,
        risk: safety::attachment_risk(filename.as_deref(), &bytes),
        filename,
    }
}

/// Returns the type under which the part can be forwarded.
fn content_type(content: &ContentFields) -> Option<String> {
    let given = content.media_type.as_deref()?;
    if given.starts_with("multipart/") {
        return Some("application/octet-stream".to_owned());
    }
    tokens::is_media_type(given).then(|| given.to_owned())
}

/// Returns the file name of an attached message: its subject, or `message.eml`.
fn mail_name(mail: &[u8]) -> String {
    let header = mail.get(..fields::block(mail, 0, |_| false).end).unwrap_or_default();
    let subject = fields(header).find(|field| field.is("Subject"));
    subject
        .map(|subject| encoded_words::decode(&subject.text()).replace(['/', '\\'], "-"))
        .and_then(|subject| file_names::safe(&subject))
        .and_then(|subject| file_names::safe(&format!("{subject}.eml")))
        .unwrap_or_else(|| "message.eml".to_owned())
}
