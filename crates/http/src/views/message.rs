//! A message: as lists show it, and whole.

use std::collections::BTreeMap;
use std::fmt::Display;

use inboxd_core::app::Sent;
use inboxd_core::app::downloads::Link;
use inboxd_core::model::{self, InboxId, Labels, MessageId, ThreadId};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use super::actor::Actor;
use super::attachment::Attachment;
use super::extracted::{ExtractedCode, ExtractedLink};
use super::time::{Time, shown};
use super::trust::{Authentication, SpamReport};

/// A message without its bodies.
#[derive(Serialize, ToSchema)]
pub(crate) struct MessageItem {
    /// The inbox that it is in.
    #[schema(value_type = String)]
    inbox_id: InboxId,
    /// Its thread.
    #[serde(serialize_with = "as_text")]
    #[schema(value_type = String)]
    thread_id: ThreadId,
    /// Its id, in angle brackets.
    #[schema(value_type = String, example = "<0192af@inboxd.example>")]
    message_id: MessageId,
    /// Its labels.
    #[schema(value_type = Vec<String>)]
    labels: Labels,
    /// When it was received or accepted.
    #[schema(value_type = String, format = DateTime)]
    timestamp: Time,
    /// The sender.
    from: String,
    /// The recipients.
    to: Vec<String>,
    /// Those who got a copy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    cc: Vec<String>,
    /// Those who got a copy that nobody sees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    bcc: Vec<String>,
    /// Where answers go.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    reply_to: Vec<String>,
    /// The subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    subject: Option<String>,
    /// The beginning of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    preview: Option<String>,
    /// Its attachments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    attachments: Vec<Attachment>,
    /// The message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    in_reply_to: Option<MessageId>,
    /// The messages before it, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>, required = false)]
    references: Vec<MessageId>,
    /// Octets of the mail.
    size: u64,
    /// Some fields of its header by name: Subject, Message-ID, Reply-To, In-Reply-To and References. The message itself
    /// has all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BTreeMap<String, String>>, nullable = false)]
    headers: Option<ItemHeaders>,
    /// The envelope recipient that led it here; absent on what was sent, and on what came before it was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    delivered_to: Option<String>,
    /// What stands behind the `+` of that recipient.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tag: Option<String>,
    /// Who sent it; absent on what came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    sent_by: Option<Actor>,
    /// When it was stored.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When its labels last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
}

impl From<model::MessageItem> for MessageItem {
    fn from(item: model::MessageItem) -> Self {
        let headers = ItemHeaders::of(&item);
        Self {
            headers: Some(headers),
            delivered_to: item.delivered_to,
            tag: item.tag,
            inbox_id: item.inbox_id,
            thread_id: item.thread_id,
            message_id: item.message_id,
            labels: item.labels,
            timestamp: Time(item.timestamp),
            from: item.from,
            to: item.to,
            cc: item.cc,
            bcc: item.bcc,
            reply_to: item.reply_to,
            subject: item.subject,
            preview: item.preview,
            attachments: item.attachments.into_iter().map(Attachment::from).collect(),
            in_reply_to: item.in_reply_to,
            references: item.references,
            size: item.size,
            sent_by: item.sent_by.map(Actor::from),
            created_at: Time(item.created_at),
            updated_at: Time(item.updated_at),
        }
    }
}

/// The header fields of a message that lists read anyway.
#[derive(Serialize)]
struct ItemHeaders {
    #[serde(rename = "Subject", skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    #[serde(rename = "Message-ID")]
    message_id: MessageId,
    #[serde(rename = "Reply-To", skip_serializing_if = "String::is_empty")]
    reply_to: String,
    #[serde(rename = "In-Reply-To", skip_serializing_if = "Option::is_none")]
    in_reply_to: Option<MessageId>,
    #[serde(rename = "References", skip_serializing_if = "String::is_empty")]
    references: String,
}

impl ItemHeaders {
    fn of(item: &model::MessageItem) -> Self {
        let references: Vec<&str> = item.references.iter().map(MessageId::as_str).collect();
        Self {
            subject: item.subject.clone(),
            message_id: item.message_id.clone(),
            reply_to: item.reply_to.join(", "),
            in_reply_to: item.in_reply_to.clone(),
            references: references.join(" "),
        }
    }
}

/// Writes an id as it is shown, without a text of its own.
fn as_text<S: Serializer>(id: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(id)
}

/// A message with its bodies.
#[derive(Serialize, ToSchema)]
pub(crate) struct Message {
    #[serde(flatten)]
    item: MessageItem,
    /// The whole text, quoted history included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text: Option<String>,
    /// The whole HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    html: Option<String>,
    /// The text without the quoted history.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    extracted_text: Option<String>,
    /// The HTML without the quoted history.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    extracted_html: Option<String>,
    /// The verification codes it hands over, the surest first. Absent, as are the next two, on mail that came before they
    /// were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    extracted_codes: Option<Vec<ExtractedCode>>,
    /// The links in it that confirm something, the surest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    extracted_links: Option<Vec<ExtractedLink>>,
    /// Whether it holds words that nobody sees who reads it, as used to smuggle instructions to agents: hidden in `html`, and
    /// so in no `text` made from it, or spelled in characters that draw nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    has_hidden_text: Option<bool>,
    /// The fields of its header by name; where a name stands there more than once, a line each.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    headers: BTreeMap<String, String>,
    /// Who vouches for it; absent on what was sent from here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    authentication: Option<Authentication>,
    /// What speaks for spam; absent on what was sent from here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    spam: Option<SpamReport>,
}

impl From<model::Message> for Message {
    fn from(message: model::Message) -> Self {
        let body = message.body;
        let extracted = body.extracted;
        Self {
            // All fields stand beside it.
            item: MessageItem { headers: None, ..message.item.into() },
            text: body.text,
            html: body.html,
            extracted_text: body.extracted_text,
            extracted_html: body.extracted_html,
            extracted_codes: extracted.as_ref().map(|found| found.codes.iter().map(ExtractedCode::from).collect()),
            extracted_links: extracted.as_ref().map(|found| found.links.iter().map(ExtractedLink::from).collect()),
            has_hidden_text: extracted.as_ref().map(|found| found.has_hidden_text),
            headers: by_name(body.headers),
            authentication: body.authentication.map(Authentication::from),
            spam: body.spam.map(SpamReport::from),
        }
    }
}

/// Header fields by name, in the letter case that came first: case does not tell names apart (RFC 5322, section 1.2.2).
fn by_name(fields: Vec<(String, String)>) -> BTreeMap<String, String> {
    let mut spelled: BTreeMap<String, String> = BTreeMap::new();
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in fields {
        let name = spelled.entry(name.to_ascii_lowercase()).or_insert(name);
        match headers.get_mut(name) {
            Some(values) => {
                values.push('\n');
                values.push_str(&value);
            }
            None => {
                headers.insert(name.clone(), value);
            }
        }
    }
    headers
}

/// A message with its labels after a change.
#[derive(Serialize, ToSchema)]
#[schema(as = UpdatedMessage)]
pub(crate) struct Labelled {
    /// Its id.
    message_id: String,
    /// Its labels.
    labels: Vec<String>,
}

impl From<model::MessageItem> for Labelled {
    fn from(item: model::MessageItem) -> Self {
        Self { message_id: item.message_id.to_string(), labels: Labels::to_vec(&item.labels) }
    }
}

/// The message that was sent.
#[derive(Serialize, ToSchema)]
pub(crate) struct SendResponse {
    /// Its id.
    message_id: String,
    /// Its thread.
    thread_id: String,
}

impl From<Sent> for SendResponse {
    fn from(sent: Sent) -> Self {
        Self { message_id: sent.message_id.to_string(), thread_id: sent.thread_id.to_string() }
    }
}

/// A link to the mail, octet for octet.
#[derive(Serialize, ToSchema)]
pub(crate) struct RawLink {
    /// The message.
    message_id: String,
    /// Octets of the mail.
    size: u64,
    /// Downloads the mail; needs no key.
    download_url: String,
    /// When the link stops working.
    #[schema(format = DateTime)]
    expires_at: String,
}

impl RawLink {
    pub(crate) fn new(item: &model::MessageItem, link: &Link, base_url: &str) -> Self {
        Self {
            message_id: item.message_id.to_string(),
            size: item.size,
            download_url: format!("{base_url}/v0/downloads/{}", link.token),
            expires_at: shown(link.expires_at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_one_name_share_an_entry() {
        let fields = [("Received", "a"), ("Subject", "s"), ("received", "b")];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let expected = [("Received", "a\nb"), ("Subject", "s")];
        assert_eq!(by_name(fields), expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    }
}
