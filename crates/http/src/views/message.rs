//! Whole messages, and responses about one message.

use std::collections::BTreeMap;

use inboxd_core::app::SendResult;
use inboxd_core::app::downloads::Link;
use inboxd_core::model::{self, ApprovalStatus, Labels};
use serde::Serialize;
use utoipa::ToSchema;

use super::calendar::CalendarView;
use super::extracted::{ExtractedCodeView, ExtractedLinkView};
use super::message_item::{MessageItemView, without_headers};
use super::time::format_time;
use super::trust::{AuthenticationView, SpamReportView};

/// Message with its bodies.
#[derive(Serialize, ToSchema)]
#[schema(as = Message)]
pub(crate) struct MessageView {
    #[serde(flatten, serialize_with = "without_headers")]
    #[schema(value_type = MessageItemView)]
    item: model::MessageItem,
    /// Plain text, quoted messages included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text: Option<String>,
    /// HTML, quoted messages included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    html: Option<String>,
    /// Plain text without quoted messages, signature and footer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    extracted_text: Option<String>,
    /// HTML without quoted messages, signature and footer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    extracted_html: Option<String>,
    /// Signature of the author, which `extracted_text` and `extracted_html` do not contain. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    signature: Option<String>,
    /// Notices below the message, which `extracted_text` and `extracted_html` do not contain: disclaimers, requests not
    /// to print, ways to leave a list. Absent without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    footer: Option<String>,
    /// Verification codes, highest confidence first. Absent, like `extracted_links` and `has_hidden_text`, on messages
    /// received before extraction existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    extracted_codes: Option<Vec<ExtractedCodeView>>,
    /// Links with an effect, such as a confirmation, highest confidence first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    extracted_links: Option<Vec<ExtractedLinkView>>,
    /// Whether the message contains text that readers cannot see, as in prompt injections: hidden in `html`, and
    /// therefore omitted from `text` derived from it, or written in invisible characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    has_hidden_text: Option<bool>,
    /// Invitation, change, cancellation or answer that the message carries. Absent without one, and on messages from
    /// before it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    calendar: Option<CalendarView>,
    /// Language of the new text (BCP 47, two letters); absent if it is unclear, and in events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    language: Option<&'static str>,
    /// Estimate of the tokens that a language model counts for `text`; absent without
    /// `text`, and in events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text_tokens: Option<u64>,
    /// Header fields by name; repeated fields have one line each.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    headers: BTreeMap<String, String>,
    /// Authentication results; absent on messages sent by this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    authentication: Option<AuthenticationView>,
    /// Spam report; absent on messages sent by this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    spam: Option<SpamReportView>,
}

impl From<model::Message> for MessageView {
    fn from(message: model::Message) -> Self {
        let body = message.body;
        let mut extracted = body.extracted;
        let calendar = extracted.as_mut().and_then(|found| found.calendar.take());
        Self {
            item: message.item,
            text: body.text,
            html: body.html,
            extracted_text: body.extracted_text,
            extracted_html: body.extracted_html,
            extracted_codes: extracted.as_ref().map(|found| found.codes.iter().map(ExtractedCodeView::from).collect()),
            extracted_links: extracted.as_ref().map(|found| found.links.iter().map(ExtractedLinkView::from).collect()),
            has_hidden_text: extracted.as_ref().map(|found| found.has_hidden_text),
            signature: extracted.as_ref().and_then(|found| found.signature.clone()),
            footer: extracted.and_then(|found| found.footer),
            calendar: calendar.map(CalendarView::from),
            language: None,
            text_tokens: None,
            headers: by_name(body.headers),
            authentication: body.authentication.map(AuthenticationView::from),
            spam: body.spam.map(SpamReportView::from),
        }
    }
}

/// Form of the texts of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyFormat {
    /// Plain text.
    Text,
    /// Markdown where the message has HTML.
    Markdown,
}

impl MessageView {
    /// Returns a message as its reader requests it, with language and number of tokens.
    pub(crate) fn requested(message: model::Message, format: BodyFormat) -> Self {
        let mut view = Self::from(message);
        view.language = view.extracted_text.as_deref().or(view.text.as_deref()).and_then(inboxd_mail::language);
        if format == BodyFormat::Markdown {
            let markdown = |html: &Option<String>| html.as_deref().map(inboxd_mail::markdown_from_html);
            let (text, extracted) = (markdown(&view.html), markdown(&view.extracted_html));
            view.text = text.or(view.text);
            view.extracted_text = extracted.or(view.extracted_text);
        }
        view.text_tokens = view.text.as_deref().map(inboxd_mail::estimate_tokens);
        view
    }
}

/// Groups header fields by name, in the first letter case: names are case-insensitive (RFC 5322, section 1.2.2).
pub(super) fn by_name(fields: Vec<(String, String)>) -> BTreeMap<String, String> {
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

/// Message with its labels after a change.
#[derive(Serialize, ToSchema)]
#[schema(as = UpdatedMessage)]
pub(crate) struct LabelsView {
    /// Id of the message.
    message_id: String,
    /// Labels of the message.
    labels: Vec<String>,
}

impl From<model::MessageItem> for LabelsView {
    fn from(item: model::MessageItem) -> Self {
        Self { message_id: item.message_id.to_string(), labels: Labels::to_vec(&item.labels) }
    }
}

/// Sent message.
#[derive(Serialize, ToSchema)]
pub(crate) struct SendResponse {
    /// Id of the message.
    message_id: String,
    /// Thread of the message.
    thread_id: String,
    /// `awaiting_approval` if a policy holds the message; absent for an accepted one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<&'static str>,
    /// Draft that waits for the approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    draft_id: Option<String>,
}

impl From<SendResult> for SendResponse {
    fn from(sent: SendResult) -> Self {
        Self {
            message_id: sent.message_id.to_string(),
            thread_id: sent.thread_id.to_string(),
            status: sent.held.map(|_| ApprovalStatus::Awaiting.as_str()),
            draft_id: sent.held.map(|draft_id| draft_id.to_string()),
        }
    }
}

/// Download link to the unchanged bytes of a message.
#[derive(Serialize, ToSchema)]
pub(crate) struct RawLink {
    /// Id of the message.
    message_id: String,
    /// Size of the message in bytes.
    size: u64,
    /// URL that returns the message. It needs no API key.
    download_url: String,
    /// Expiry time of the link.
    #[schema(format = DateTime)]
    expires_at: String,
}

impl RawLink {
    pub(crate) fn new(item: &model::MessageItem, link: &Link, base_url: &str) -> Self {
        Self {
            message_id: item.message_id.to_string(),
            size: item.size,
            download_url: format!("{base_url}/v0/downloads/{}", link.token),
            expires_at: format_time(link.expires_at),
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
