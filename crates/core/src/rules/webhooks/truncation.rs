//! Truncation of large events for webhooks, to at most 1 MB (`wire.md`, section 6).

use crate::model::event::EventRecord;
use crate::model::{Message, Thread};

/// Maximum body of a delivery in bytes.
pub const MAX_BODY_BYTES: usize = 1_000_000;

/// Parts that can be left out of an event, in order of removal. The first are large and readable through the API; the
/// last are large only in unusual mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OmittablePart {
    /// The whole HTML body.
    Html,
    /// The whole text body.
    Text,
    /// The HTML body without quoted history.
    ExtractedHtml,
    /// The text body without quoted history.
    ExtractedText,
    /// The header fields.
    Headers,
    /// The attachments of the thread.
    ThreadAttachments,
    /// The attachments of the message.
    Attachments,
    /// The References.
    References,
    /// The message and thread, except their ids.
    Mail,
}

impl OmittablePart {
    /// All parts, in order.
    pub const ALL: [Self; 9] = [
        Self::Html,
        Self::Text,
        Self::ExtractedHtml,
        Self::ExtractedText,
        Self::Headers,
        Self::ThreadAttachments,
        Self::Attachments,
        Self::References,
        Self::Mail,
    ];

    /// Returns the name in `truncated`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Text => "text",
            Self::ExtractedHtml => "extracted_html",
            Self::ExtractedText => "extracted_text",
            Self::Headers => "headers",
            Self::ThreadAttachments => "thread.attachments",
            Self::Attachments => "attachments",
            Self::References => "references",
            Self::Mail => "message",
        }
    }

    /// Removes the part from an event and returns whether it was present.
    fn remove(self, record: &mut EventRecord) -> bool {
        if self == Self::Mail {
            return record.mail.take().is_some();
        }
        record.mail.as_mut().is_some_and(|(message, thread)| self.remove_from(message, thread))
    }

    fn remove_from(self, message: &mut Message, thread: &mut Thread) -> bool {
        let body = &mut message.body;
        match self {
            Self::Html => body.html.take().is_some(),
            Self::Text => body.text.take().is_some(),
            Self::ExtractedHtml => body.extracted_html.take().is_some(),
            Self::ExtractedText => body.extracted_text.take().is_some(),
            Self::Headers => !std::mem::take(&mut body.headers).is_empty(),
            Self::ThreadAttachments => !std::mem::take(&mut thread.attachments).is_empty(),
            Self::Attachments => !std::mem::take(&mut message.item.attachments).is_empty(),
            Self::References => !std::mem::take(&mut message.item.references).is_empty(),
            Self::Mail => false,
        }
    }
}

/// Renders an event in at most `most` bytes.
///
/// It leaves out the parts that storage omitted as too large, all parts before these, and as many more as needed.
/// `show` receives the names of the missing parts.
pub fn fit(
    mut record: EventRecord,
    left_out: &[OmittablePart],
    most: usize,
    show: impl Fn(&EventRecord, &[&'static str]) -> Vec<u8>,
) -> Vec<u8> {
    let mut missing = Vec::new();
    let mut parts = OmittablePart::ALL.into_iter();
    if let Some(last) = left_out.iter().max() {
        for part in parts.by_ref() {
            if part.remove(&mut record) || left_out.contains(&part) {
                missing.push(part.as_str());
            }
            if part == *last {
                break;
            }
        }
    }
    let mut shown = show(&record, &missing);
    for part in parts {
        if shown.len() <= most {
            break;
        }
        if part.remove(&mut record) {
            missing.push(part.as_str());
            shown = show(&record, &missing);
        }
    }
    shown
}
