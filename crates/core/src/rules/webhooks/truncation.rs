//! What of a large event is left out, so that a webhook is told at most 1 MB (`wire.md`, section 6).

use crate::model::event::EventRecord;
use crate::model::{Message, Thread};

/// The largest body of a delivery, in octets.
pub const LARGEST_BODY: usize = 1_000_000;

/// What can be left out of an event, in the order in which it goes: first what can be read through the API as well and
/// is largest, last what is large in strange mail alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The whole HTML.
    Html,
    /// The whole text.
    Text,
    /// The HTML without the quoted history.
    ExtractedHtml,
    /// The text without the quoted history.
    ExtractedText,
    /// The fields of the header.
    Headers,
    /// The attachments of the thread.
    ThreadAttachments,
    /// The attachments of the message.
    Attachments,
    /// The messages before it.
    References,
    /// Message and thread, but for their ids.
    Mail,
}

impl Part {
    /// Every part, in order.
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

    /// The name in `truncated`.
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

    /// Takes it out of an event. Answers whether there was any.
    fn take(self, record: &mut EventRecord) -> bool {
        if self == Self::Mail {
            return record.mail.take().is_some();
        }
        record.mail.as_mut().is_some_and(|(message, thread)| self.take_of(message, thread))
    }

    fn take_of(self, message: &mut Message, thread: &mut Thread) -> bool {
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

/// Shows an event in at most `most` octets: without the parts that storage has left out as too large, without what goes
/// before these, and without as many more as it takes. `show` is told the names of what is missing.
pub fn fitted(
    mut record: EventRecord,
    left_out: &[Part],
    most: usize,
    show: impl Fn(&EventRecord, &[&'static str]) -> Vec<u8>,
) -> Vec<u8> {
    let mut missing = Vec::new();
    let mut parts = Part::ALL.into_iter();
    if let Some(last) = left_out.iter().max() {
        for part in parts.by_ref() {
            if part.take(&mut record) || left_out.contains(&part) {
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
        if part.take(&mut record) {
            missing.push(part.as_str());
            shown = show(&record, &missing);
        }
    }
    shown
}
