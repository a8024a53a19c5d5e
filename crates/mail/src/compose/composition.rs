//! Input of a composition.

use crate::address::Mailbox;
use crate::calendar::CalendarMethod;
use crate::parse::Disposition;

/// Input of [`compose`](crate::compose()). Bcc is absent because it belongs to the envelope alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composition {
    /// Author.
    pub from: Mailbox,
    /// Addresses for replies, if they differ from `from`.
    pub reply_to: Vec<Mailbox>,
    /// Recipients.
    pub to: Vec<Mailbox>,
    /// Copy recipients.
    pub cc: Vec<Mailbox>,
    /// Subject.
    pub subject: Option<String>,
    /// Plain text with line breaks of any kind.
    pub text: Option<String>,
    /// HTML body.
    pub html: Option<String>,
    /// Calendar object as an alternative of the text (RFC 6047).
    pub calendar: Option<CalendarPart>,
    /// Attachments, in order.
    pub attachments: Vec<AttachmentPart>,
    /// Additional header fields. [`compose`](crate::compose()) rejects those that it writes itself.
    pub headers: Vec<(String, String)>,
    /// Message-ID, with or without brackets.
    pub message_id: String,
    /// Message-ID of the parent message.
    pub in_reply_to: Option<String>,
    /// Message-IDs of the thread, oldest first.
    pub references: Vec<String>,
    /// Date field in Unix seconds.
    pub date: i64,
    /// Adds `Auto-Submitted: auto-generated` (RFC 3834) for messages that no person wrote.
    pub auto_submitted: bool,
}

impl Composition {
    /// Creates an empty message dated 1970-01-01; set the other fields with struct update syntax.
    #[must_use]
    pub fn new(from: Mailbox, message_id: String) -> Self {
        Self {
            from,
            reply_to: Vec::new(),
            to: Vec::new(),
            cc: Vec::new(),
            subject: None,
            text: None,
            html: None,
            calendar: None,
            attachments: Vec::new(),
            headers: Vec::new(),
            message_id,
            in_reply_to: None,
            references: Vec::new(),
            date: 0,
            auto_submitted: false,
        }
    }
}

/// An outgoing calendar object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarPart {
    /// Purpose, which the content type repeats.
    pub method: CalendarMethod,
    /// The object, as [`write_calendar`](crate::write_calendar) returns it.
    pub content: String,
}

/// An outgoing attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentPart {
    /// File name in any script.
    pub filename: Option<String>,
    /// `type/subtype` with optional parameters; never a multipart. Defaults to `application/octet-stream`.
    pub content_type: Option<String>,
    /// Position of the attachment. Inline attachments with a `content_id` become part of `multipart/related` with the
    /// HTML.
    pub disposition: Disposition,
    /// Name that `cid:` links in the HTML use, with or without brackets.
    pub content_id: Option<String>,
    /// Content in bytes.
    pub content: Vec<u8>,
}
