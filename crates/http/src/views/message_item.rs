//! Messages in lists: the fields of a row, without bodies.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use inboxd_core::model::{self, InboxId, Labels, MessageId, ThreadId};
use inboxd_core::rules::security;
use inboxd_core::rules::trust::Judgement;
use serde::{Serialize, Serializer};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::actor::ActorView;
use super::agent_armor::AgentArmorView;
use super::attachment::AttachmentView;
use super::time::WireTime;
use super::trust_schema::TrustView;

/// Message without bodies and with some header fields, for lists.
pub(crate) struct MessageItemView(model::MessageItem);

impl From<model::MessageItem> for MessageItemView {
    fn from(item: model::MessageItem) -> Self {
        Self(item)
    }
}

impl Serialize for MessageItemView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ItemFields::new(&self.0, true).serialize(serializer)
    }
}

impl PartialSchema for MessageItemView {
    fn schema() -> RefOr<Schema> {
        ItemFields::schema()
    }
}

impl ToSchema for MessageItemView {
    fn name() -> Cow<'static, str> {
        ItemFields::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        ItemFields::schemas(schemas);
    }
}

/// Fields of a message without its bodies. They borrow: a list serializes 50 of them without a copy.
#[derive(Serialize, ToSchema)]
#[schema(as = MessageItem)]
struct ItemFields<'a> {
    /// Inbox of the message.
    #[schema(value_type = String)]
    inbox_id: &'a InboxId,
    /// Thread of the message.
    #[serde(serialize_with = "as_text")]
    #[schema(value_type = String)]
    thread_id: ThreadId,
    /// Id of the message, in angle brackets (Message-ID).
    #[schema(value_type = String, example = "<0192af@inboxd.example>")]
    message_id: &'a MessageId,
    /// Labels of the message.
    #[schema(value_type = Vec<String>)]
    labels: &'a Labels,
    /// Time of receipt, or of acceptance for delivery.
    #[schema(value_type = String, format = DateTime)]
    timestamp: WireTime,
    /// Sender (From).
    from: &'a str,
    /// Recipients (To).
    to: &'a [String],
    /// Recipients of a copy (Cc).
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schema(required = false)]
    cc: &'a [String],
    /// Recipients of a blind copy (Bcc).
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schema(required = false)]
    bcc: &'a [String],
    /// Addresses for replies (Reply-To).
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schema(required = false)]
    reply_to: &'a [String],
    /// Subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    subject: Option<&'a str>,
    /// Beginning of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    preview: Option<&'a str>,
    /// Attachments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    attachments: Vec<AttachmentView>,
    /// Id of the message that this message replies to (In-Reply-To).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    in_reply_to: Option<&'a MessageId>,
    /// Ids of the earlier messages of the conversation, oldest first (References).
    #[serde(skip_serializing_if = "<[MessageId]>::is_empty")]
    #[schema(value_type = Vec<String>, required = false)]
    references: &'a [MessageId],
    /// Size of the message in bytes.
    size: u64,
    /// Header fields by name, limited to Subject, Message-ID, Reply-To, In-Reply-To and References. The message
    /// resource has all fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BTreeMap<String, String>>, nullable = false)]
    headers: Option<ItemHeaders<'a>>,
    /// Envelope recipient that selected the inbox; absent on sent messages, and on messages received before this field
    /// was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    delivered_to: Option<&'a str>,
    /// Tag after the `+` in the envelope recipient.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tag: Option<&'a str>,
    /// Trust in a received message, judged on receipt; absent on sent messages, and on messages received before this
    /// field was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<TrustView>, nullable = false)]
    trust: Option<&'a Judgement>,
    /// Result of the check of a received message, from `trust`; absent where `trust` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    agent_armor: Option<AgentArmorView>,
    /// Actor that sent the message; absent on received messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    sent_by: Option<ActorView>,
    /// Time of storage.
    #[schema(value_type = String, format = DateTime)]
    created_at: WireTime,
    /// Time of the last label change, or of the redaction.
    #[schema(value_type = String, format = DateTime)]
    updated_at: WireTime,
    /// Time of the redaction, which removed the content; absent on messages with content.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, nullable = false)]
    redacted_at: Option<WireTime>,
    /// Calendar event, or date of one, that the message created, changed or answered. It may be deleted since.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "cev_019a7c1e6b4d7e9fa7c25d1b8e0f9a36")]
    calendar_event_id: Option<&'a str>,
}

impl<'a> ItemFields<'a> {
    /// Returns the fields of a message, with `headers` or without.
    fn new(item: &'a model::MessageItem, has_headers: bool) -> Self {
        Self {
            headers: has_headers.then(|| ItemHeaders::new(item)),
            delivered_to: item.delivered_to.as_deref(),
            tag: item.tag.as_deref(),
            trust: item.trust.as_ref(),
            agent_armor: security::result(item).map(|result| AgentArmorView::new(result, item.release.clone())),
            inbox_id: &item.inbox_id,
            thread_id: item.thread_id,
            message_id: &item.message_id,
            labels: &item.labels,
            timestamp: WireTime(item.timestamp),
            from: &item.from,
            to: &item.to,
            cc: &item.cc,
            bcc: &item.bcc,
            reply_to: &item.reply_to,
            subject: item.subject.as_deref(),
            preview: item.preview.as_deref(),
            attachments: item.attachments.iter().cloned().map(AttachmentView::from).collect(),
            in_reply_to: item.in_reply_to.as_ref(),
            references: &item.references,
            size: item.size,
            sent_by: item.sent_by.clone().map(ActorView::from),
            created_at: WireTime(item.created_at),
            updated_at: WireTime(item.updated_at),
            redacted_at: item.redacted_at.map(WireTime),
            calendar_event_id: item.calendar_event_id.as_deref(),
        }
    }
}

/// Header fields of a message that its row holds.
#[derive(Serialize)]
struct ItemHeaders<'a> {
    #[serde(rename = "Subject", skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    #[serde(rename = "Message-ID")]
    message_id: &'a MessageId,
    #[serde(rename = "Reply-To", skip_serializing_if = "Joined::is_empty")]
    reply_to: Joined<'a, String>,
    #[serde(rename = "In-Reply-To", skip_serializing_if = "Option::is_none")]
    in_reply_to: Option<&'a MessageId>,
    #[serde(rename = "References", skip_serializing_if = "Joined::is_empty")]
    references: Joined<'a, MessageId>,
}

impl<'a> ItemHeaders<'a> {
    fn new(item: &'a model::MessageItem) -> Self {
        Self {
            subject: item.subject.as_deref(),
            message_id: &item.message_id,
            reply_to: Joined { items: &item.reply_to, separator: ", " },
            in_reply_to: item.in_reply_to.as_ref(),
            references: Joined { items: &item.references, separator: " " },
        }
    }
}

/// Values of one header field, serialized as one string.
struct Joined<'a, T> {
    items: &'a [T],
    separator: &'static str,
}

impl<T> Joined<'_, T> {
    fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (position, item) in self.items.iter().enumerate() {
            if position > 0 {
                f.write_str(self.separator)?;
            }
            item.fmt(f)?;
        }
        Ok(())
    }
}

impl<T: Display> Serialize for Joined<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Serializes a message without the header fields of a list: the whole message has all of them.
pub(super) fn without_headers<S: Serializer>(item: &model::MessageItem, serializer: S) -> Result<S::Ok, S::Error> {
    ItemFields::new(item, false).serialize(serializer)
}

/// Serializes an id without an intermediate string.
fn as_text<S: Serializer>(id: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(id)
}
