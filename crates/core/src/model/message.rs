//! Messages: received and sent mail.

use inboxd_mail::Disposition;
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use super::{
    Actor, AttachmentId, Authentication, ContactChange, Event, ExtractedFindings, InboxId, Labels, MessageId,
    MessageRelease, OrganizationId, QueuedMail, SpamReport, StoredBlob, Thread, ThreadId, UsageChange,
};
use crate::rules::trust::Judgement;

/// A downloadable part of a message. Its bytes stay in the raw message; those of a draft are stored apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Id, unique in the organization.
    pub attachment_id: AttachmentId,
    /// Number of the part in the raw message, as [`inboxd_mail::attachment_content`] counts; 0 in a draft, which has no
    /// raw message yet.
    pub part: usize,
    /// Safe file name.
    pub filename: Option<String>,
    /// Media type.
    pub content_type: Option<String>,
    /// Disposition: inline or attachment.
    #[serde(with = "disposition")]
    pub content_disposition: Option<Disposition>,
    /// Content-ID without angle brackets.
    pub content_id: Option<String>,
    /// Decoded size in bytes.
    pub size: u64,
}

mod disposition {
    use inboxd_mail::Disposition;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    pub(super) fn serialize<S: Serializer>(value: &Option<Disposition>, to: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(|value| value.as_str()).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Disposition>, D::Error> {
        Ok(Option::<String>::deserialize(from)?.and_then(|text| text.parse().ok()))
    }
}

/// List form of a message: without its bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageItem {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The inbox it belongs to.
    pub inbox_id: InboxId,
    /// Its thread.
    pub thread_id: ThreadId,
    /// Id within the inbox.
    pub message_id: MessageId,
    /// Its labels.
    pub labels: Labels,
    /// Time of receipt or acceptance, never that of the Date field.
    pub timestamp: OffsetDateTime,
    /// Sender, as `Name <address>`.
    pub from: String,
    /// Recipients in To.
    pub to: Vec<String>,
    /// Recipients in Cc.
    pub cc: Vec<String>,
    /// Recipients that no header field names.
    pub bcc: Vec<String>,
    /// Reply addresses.
    pub reply_to: Vec<String>,
    /// The subject.
    pub subject: Option<String>,
    /// Beginning of its new text.
    pub preview: Option<String>,
    /// Downloadable parts.
    pub attachments: Vec<Attachment>,
    /// Message replied to.
    pub in_reply_to: Option<MessageId>,
    /// References, oldest first.
    pub references: Vec<MessageId>,
    /// Size of the raw message in bytes.
    pub size: u64,
    /// Author of a sent message; `None` for a received one.
    pub sent_by: Option<Actor>,
    /// Time of storage.
    pub created_at: OffsetDateTime,
    /// Time of the last label change.
    pub updated_at: OffsetDateTime,
    /// Envelope recipient in lower case; `None` for a sent message.
    pub delivered_to: Option<String>,
    /// Tag of that recipient, after the `+`.
    pub tag: Option<String>,
    /// Trust in a received message; `None` for a sent one, and for one from before the judgement existed.
    pub trust: Option<Judgement>,
    /// Release of a message that was held; `None` for any other.
    pub release: Option<MessageRelease>,
    /// Time of the redaction; `None` for a message with its content.
    pub redacted_at: Option<OffsetDateTime>,
    /// Id of the calendar event or date that it created, changed or answered. The event may be gone.
    pub calendar_event_id: Option<String>,
}

/// Bodies of a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageBody {
    /// Whole text, quoted history included.
    pub text: Option<String>,
    /// Whole HTML.
    pub html: Option<String>,
    /// Text without quoted history.
    pub extracted_text: Option<String>,
    /// HTML without quoted history.
    pub extracted_html: Option<String>,
    /// Header fields in order.
    pub headers: Vec<(String, String)>,
    /// Extracted codes and links; `None` for a message from before the extraction existed.
    pub extracted: Option<ExtractedFindings>,
    /// Authentication results; `None` without a check.
    pub authentication: Option<Authentication>,
    /// Spam report; `None` without a filter.
    pub spam: Option<SpamReport>,
}

/// A message with its bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// List form.
    pub item: MessageItem,
    /// Bodies.
    pub body: MessageBody,
}

/// A message to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// The message.
    pub message: Message,
    /// Raw bytes of the message. Those of a received message with an object are not here.
    pub raw: Vec<u8>,
    /// Object with the raw bytes, outside the row; `None` if they belong into the row.
    pub raw_blob: Option<StoredBlob>,
    /// Original Message-ID, if it differs from the id because a live message has it already.
    pub header_message_id: Option<MessageId>,
    /// SHA-256 of envelope sender and received bytes, for deduplication; `None` for a sent message.
    pub digest: Option<[u8; 32]>,
    /// Searchable text: sender, recipients, subject and text, in lower case, a line each.
    pub search_text: String,
}

/// Messages to store, with all other rows that they create and change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewMail {
    /// The messages.
    pub messages: Vec<NewMessage>,
    /// New threads of these messages.
    pub begun: Vec<Thread>,
    /// Existing threads that they join, which are locked.
    pub joined: Vec<Thread>,
    /// Events about the messages.
    pub events: Vec<Event>,
    /// Entries of the outgoing queue.
    pub queued: Vec<QueuedMail>,
    /// Number of messages that count as sent, by organization and day.
    pub sends: Vec<(OrganizationId, Date, u32)>,
    /// Contacts of the messages, in the order of their keys, each once.
    pub contacts: Vec<ContactChange>,
    /// Usage changes by inbox; an inbox may occur several times.
    pub usage: Vec<(OrganizationId, InboxId, UsageChange)>,
}
