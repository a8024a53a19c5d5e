//! Messages: what came in and what was sent.

use inboxd_mail::Disposition;
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use super::{
    Actor, AttachmentId, Authentication, Event, Extracted, InboxId, Labels, MessageId, OrganizationId, Outgoing,
    SpamReport, Thread, ThreadId, UsageChange,
};

/// A part of a message that can be downloaded. Its bytes stay in the raw mail; those of a draft are stored apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its id, unique in the organization.
    pub attachment_id: AttachmentId,
    /// Which part of the raw mail holds it, as [`inboxd_mail::attachment_content`] counts; 0 in a
    /// draft, which has no mail yet.
    pub part: usize,
    /// A safe file name.
    pub filename: Option<String>,
    /// The media type.
    pub content_type: Option<String>,
    /// Whether it is shown within the text.
    #[serde(with = "disposition")]
    pub content_disposition: Option<Disposition>,
    /// The Content-ID without angle brackets.
    pub content_id: Option<String>,
    /// Decoded octets.
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

/// A message as lists show it: everything but its bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageItem {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The inbox it belongs to.
    pub inbox_id: InboxId,
    /// Its thread.
    pub thread_id: ThreadId,
    /// Its id within the inbox.
    pub message_id: MessageId,
    /// Its labels.
    pub labels: Labels,
    /// When it was received or accepted; never what its Date field says.
    pub timestamp: OffsetDateTime,
    /// The sender, as `Name <address>`.
    pub from: String,
    /// The recipients named in To.
    pub to: Vec<String>,
    /// The recipients named in Cc.
    pub cc: Vec<String>,
    /// The recipients that no field of the mail names.
    pub bcc: Vec<String>,
    /// Where answers go.
    pub reply_to: Vec<String>,
    /// The subject.
    pub subject: Option<String>,
    /// The beginning of its new text.
    pub preview: Option<String>,
    /// What can be downloaded.
    pub attachments: Vec<Attachment>,
    /// The message it answers.
    pub in_reply_to: Option<MessageId>,
    /// The messages before it, oldest first.
    pub references: Vec<MessageId>,
    /// Octets of the raw mail.
    pub size: u64,
    /// Who sent it; `None` for what came in.
    pub sent_by: Option<Actor>,
    /// When it was stored.
    pub created_at: OffsetDateTime,
    /// When its labels last changed.
    pub updated_at: OffsetDateTime,
    /// The envelope recipient that led it here, in lower case; `None` for what was sent.
    pub delivered_to: Option<String>,
    /// What stands behind the `+` of that recipient.
    pub tag: Option<String>,
}

/// The bodies of a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageBody {
    /// The whole text, quoted history included.
    pub text: Option<String>,
    /// The whole HTML.
    pub html: Option<String>,
    /// The text without the quoted history.
    pub extracted_text: Option<String>,
    /// The HTML without the quoted history.
    pub extracted_html: Option<String>,
    /// The fields of the header, in order.
    pub headers: Vec<(String, String)>,
    /// What it hands over; `None` where nobody looked, for it came before that was done.
    pub extracted: Option<Extracted>,
    /// Who vouches for it; `None` where nobody was asked.
    pub authentication: Option<Authentication>,
    /// What speaks for spam; `None` where no filter was asked.
    pub spam: Option<SpamReport>,
}

/// A message with its bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What lists show.
    pub item: MessageItem,
    /// What they leave out.
    pub body: MessageBody,
}

/// A message on its way into storage.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// The message.
    pub message: Message,
    /// The mail, octet for octet.
    pub raw: Vec<u8>,
    /// The Message-ID on the wire where it is not the message's id, because a live message had it already.
    pub header_message_id: Option<MessageId>,
    /// For received mail, SHA-256 of the envelope sender and the mail as it came, by which a repeat is recognised.
    pub digest: Option<[u8; 32]>,
    /// What searches look through: sender, recipients, subject and text, in lower case, a line each.
    pub search_text: String,
}

/// Messages on their way into storage, with all that they make and change there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewMail {
    /// The messages.
    pub messages: Vec<NewMessage>,
    /// The threads that begin with them.
    pub begun: Vec<Thread>,
    /// The threads that they join, which are locked.
    pub joined: Vec<Thread>,
    /// The events that tell of them.
    pub events: Vec<Event>,
    /// The mails by which they leave.
    pub queued: Vec<Outgoing>,
    /// How many of them count as sent by their organizations, and on which day.
    pub sends: Vec<(OrganizationId, Date, u32)>,
    /// What changes in the usage of their inboxes; an inbox may stand there several times.
    pub usage: Vec<(OrganizationId, InboxId, UsageChange)>,
}
