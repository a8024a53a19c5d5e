//! Attachments: every part that is not the mail's own text.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::names;
use super::tree::{self, Part};
use crate::wire::fields::{self, fields};
use crate::wire::words;

/// How an attachment is meant to be shown (RFC 2183).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Disposition {
    /// Within the text.
    Inline,
    /// Apart from the text.
    Attachment,
}

impl Disposition {
    /// `inline` or `attachment`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Attachment => "attachment",
        }
    }
}

impl fmt::Display for Disposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text named neither of the two dispositions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a disposition is `inline` or `attachment`")]
pub struct UnknownDisposition;

impl FromStr for Disposition {
    type Err = UnknownDisposition;

    fn from_str(text: &str) -> Result<Self, UnknownDisposition> {
        match text.trim().to_ascii_lowercase().as_str() {
            "inline" => Ok(Self::Inline),
            "attachment" => Ok(Self::Attachment),
            _ => Err(UnknownDisposition),
        }
    }
}

/// An attachment as it was found; [`attachment_content`] gives its octets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedAttachment {
    /// The number of the part, to ask [`attachment_content`] with.
    pub part: usize,
    /// A safe file name: one path element, no control characters, at most 255 octets.
    pub filename: Option<String>,
    /// `type/subtype` in lower case.
    pub content_type: Option<String>,
    /// What the sender said; `None` when nothing.
    pub disposition: Option<Disposition>,
    /// The Content-ID without its brackets, as `cid:` links in HTML name it.
    pub content_id: Option<String>,
    /// Decoded octets.
    pub size: u64,
}

/// The decoded octets of a part; parts are numbered as in [`ParsedAttachment::part`].
///
/// An attached mail gives its raw octets. `None` when there is no such part, or it only holds others.
#[must_use]
pub fn attachment_content(raw: &[u8], part: usize) -> Option<Vec<u8>> {
    let parts = tree::walk(raw);
    let part = parts.get(part).filter(|part| part.children.is_empty())?;
    Some(part.content.encoding.decode(part.bytes(raw)).into_owned())
}

/// Describes part `number` as an attachment.
pub(crate) fn describe(raw: &[u8], number: usize, part: &Part) -> ParsedAttachment {
    let content = part.content.encoding.decode(part.bytes(raw));
    let given = part.content.name.as_deref().and_then(names::safe);
    let is_mail = matches!(part.content.media(), "message/rfc822" | "message/global");
    ParsedAttachment {
        part: number,
        filename: given.or_else(|| is_mail.then(|| mail_name(&content))),
        content_type: part.content.media_type.clone(),
        disposition: part.content.disposition,
        content_id: part.content.id.clone(),
        size: content.len() as u64,
    }
}

/// The file name of an attached mail: its subject, or `message.eml`.
fn mail_name(mail: &[u8]) -> String {
    let header = mail.get(..fields::block(mail, 0, |_| false).end).unwrap_or_default();
    let subject = fields(header).find(|field| field.is("Subject"));
    subject
        .map(|subject| words::decode(&subject.text()).replace(['/', '\\'], "-"))
        .and_then(|subject| names::safe(&subject))
        .and_then(|subject| names::safe(&format!("{subject}.eml")))
        .unwrap_or_else(|| "message.eml".to_owned())
}
