//! A message: as lists show it, and whole.

use std::collections::BTreeMap;

use inboxd_core::app::Sent;
use inboxd_core::app::downloads::Link;
use inboxd_core::model::{self, Labels};
use serde::Serialize;
use utoipa::ToSchema;

use super::actor::Actor;
use super::attachment::Attachment;
use super::extracted::{ExtractedCode, ExtractedLink};
use super::time::shown;
use super::trust::{Authentication, SpamReport};

/// A message without its bodies.
#[derive(Serialize, ToSchema)]
pub(crate) struct MessageItem {
    /// The inbox that it is in.
    inbox_id: String,
    /// Its thread.
    thread_id: String,
    /// Its id, in angle brackets.
    #[schema(example = "<0192af@inboxd.example>")]
    message_id: String,
    /// Its labels.
    labels: Vec<String>,
    /// When it was received or accepted.
    #[schema(format = DateTime)]
    timestamp: String,
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
    #[schema(nullable = false)]
    in_reply_to: Option<String>,
    /// The messages before it, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    references: Vec<String>,
    /// Octets of the mail.
    size: u64,
    /// Who sent it; absent on what came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    sent_by: Option<Actor>,
    /// When it was stored.
    #[schema(format = DateTime)]
    created_at: String,
    /// When its labels last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<model::MessageItem> for MessageItem {
    fn from(item: model::MessageItem) -> Self {
        Self {
            inbox_id: item.inbox_id.to_string(),
            thread_id: item.thread_id.to_string(),
            message_id: item.message_id.to_string(),
            labels: item.labels.to_vec(),
            timestamp: shown(item.timestamp),
            from: item.from,
            to: item.to,
            cc: item.cc,
            bcc: item.bcc,
            reply_to: item.reply_to,
            subject: item.subject,
            preview: item.preview,
            attachments: item.attachments.into_iter().map(Attachment::from).collect(),
            in_reply_to: item.in_reply_to.map(|id| id.to_string()),
            references: item.references.iter().map(ToString::to_string).collect(),
            size: item.size,
            sent_by: item.sent_by.map(Actor::from),
            created_at: shown(item.created_at),
            updated_at: shown(item.updated_at),
        }
    }
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
    /// The verification codes it hands over, the surest first.
    extracted_codes: Vec<ExtractedCode>,
    /// The links in it that confirm something, the surest first.
    extracted_links: Vec<ExtractedLink>,
    /// Whether it holds words that nobody sees who reads it, as used to smuggle instructions to agents: hidden in `html`,
    /// which alone has them, or spelled in characters that draw nothing.
    has_hidden_text: bool,
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
        Self {
            item: message.item.into(),
            text: body.text,
            html: body.html,
            extracted_text: body.extracted_text,
            extracted_html: body.extracted_html,
            extracted_codes: body.extracted.codes.into_iter().map(ExtractedCode::from).collect(),
            extracted_links: body.extracted.links.into_iter().map(ExtractedLink::from).collect(),
            has_hidden_text: body.extracted.has_hidden_text,
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
