//! Messages as a model reads them: new text first, with the facts that speak for or against the sender.

use inboxd_core::model::{self, ExtractedFindings, Message, MessageBody, MessageItem};
use inboxd_mail::Disposition;
use serde::Serialize;
use serde_json::{Map, Value};

use super::budget::{
    self, DEFAULT_BODY_CHARS, MAX_ITEM_CHARS, MAX_RESULT_CHARS, RESERVED_CHARS, Truncation, bound, excerpt,
    fields_length, fit,
};
use super::shape::shape_fields;
use crate::clean::clean;
use crate::views::{
    AuthenticationView, CalendarView, ExtractedCodeView, ExtractedLinkView, MessageItemView, SpamReportView,
};

/// Fields of a list item that a model does not need: they repeat others or are evidence for programs.
const LEFT_OUT: [&str; 4] = ["headers", "references", "createdAt", "updatedAt"];
/// Number of spam reasons at most, the heaviest first.
const MAX_REASONS: usize = 5;

/// The part of the bodies that a caller asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BodyRange {
    /// Characters before the part.
    pub(crate) offset: usize,
    /// Maximum characters of each body.
    pub(crate) max_chars: usize,
    /// Whether the text with quoted history replaces the new text.
    pub(crate) has_quotes: bool,
    /// Whether the HTML follows.
    pub(crate) has_html: bool,
}

impl Default for BodyRange {
    fn default() -> Self {
        Self { offset: 0, max_chars: DEFAULT_BODY_CHARS, has_quotes: false, has_html: false }
    }
}

/// A message in a result, with the fields that were cut.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ShownMessage {
    /// The fields.
    pub(crate) fields: Map<String, Value>,
    /// The cut fields and bodies.
    pub(crate) cuts: Vec<Truncation>,
    /// Offset of the rest of the bodies; `None` when nothing is left.
    pub(crate) rest: Option<usize>,
}

/// Returns a message without its bodies, with the verdict about its sender.
pub(crate) fn summary(item: &MessageItem) -> Map<String, Value> {
    let mut fields = item_fields(item);
    bound(&mut fields, MAX_ITEM_CHARS);
    fields
}

/// Returns the fields of [`summary`], however long they are.
pub(crate) fn item_fields(item: &MessageItem) -> Map<String, Value> {
    let mut fields = shape_fields(&MessageItemView::from(item.clone()));
    fields.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
    if let Some(attachments) = fields.get_mut("attachments") {
        *attachments = attachments_of(&item.attachments);
    }
    // The verdict is in `trust`. A release tells the agent why it sees the message.
    if item.release.is_none() {
        fields.remove("agentArmor");
    }
    lift_checks(&mut fields);
    fields
}

/// Returns a message without its bodies, with the results of all checks and the findings in its text.
pub(crate) fn header(message: &Message) -> Map<String, Value> {
    let mut fields = item_fields(&message.item);
    // The bodies replace the preview, which is their beginning.
    fields.remove("preview");
    add_checks(&mut fields, &message.body);
    add_findings(&mut fields, &message.body);
    fields
}

/// Returns descriptions of attachments. Their file names come from the sender.
pub(crate) fn attachments_of(attachments: &[model::Attachment]) -> Value {
    attachments.iter().map(|attachment| Value::Object(attachment_fields(attachment))).collect()
}

/// Returns the description of an attachment.
pub(crate) fn attachment_fields(attachment: &model::Attachment) -> Map<String, Value> {
    let text = |value: &Option<String>| value.as_deref().map(|text| Value::String(clean(text)));
    let disposition = attachment.content_disposition.map(|disposition| Value::from(Disposition::as_str(disposition)));
    let fields = [
        ("attachmentId", Some(Value::from(attachment.attachment_id.to_string()))),
        ("filename", text(&attachment.filename)),
        ("contentType", text(&attachment.content_type)),
        ("contentDisposition", disposition),
        ("contentId", text(&attachment.content_id)),
        ("size", Some(Value::from(attachment.size))),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Moves the results of the authentication out of the verdict, to where a message in full has them.
pub(crate) fn lift_checks(fields: &mut Map<String, Value>) {
    let checks = fields.get_mut("trust").and_then(Value::as_object_mut).and_then(|trust| trust.remove("checks"));
    fields.extend(checks.map(|checks| ("authentication".to_owned(), checks)));
}

/// Adds the results of the authentication and of the spam filter, and whether there is hidden text.
fn add_checks(fields: &mut Map<String, Value>, body: &MessageBody) {
    if let Some(authentication) = body.authentication.clone() {
        insert(fields, "authentication", &AuthenticationView::from(authentication));
    }
    if let Some(mut report) = body.spam.clone() {
        report.reasons.truncate(MAX_REASONS);
        insert(fields, "spam", &SpamReportView::from(report));
    }
    if let Some(found) = &body.extracted {
        fields.insert("hasHiddenText".to_owned(), Value::Bool(found.has_hidden_text));
    }
}

/// Adds the findings in the text, and what follows the new text.
pub(crate) fn add_findings(fields: &mut Map<String, Value>, body: &MessageBody) {
    let Some(ExtractedFindings { codes, links, signature, footer, calendar, .. }) = &body.extracted else { return };
    if !codes.is_empty() {
        let codes: Vec<ExtractedCodeView> = codes.iter().map(ExtractedCodeView::from).collect();
        insert(fields, "extractedCodes", &codes);
    }
    if !links.is_empty() {
        let links: Vec<ExtractedLinkView> = links.iter().map(ExtractedLinkView::from).collect();
        insert(fields, "extractedLinks", &links);
    }
    if let Some(calendar) = calendar.clone() {
        insert(fields, "calendar", &CalendarView::from(calendar));
    }
    for (name, text) in [("signature", signature), ("footer", footer)] {
        fields.extend(text.as_deref().map(|text| (name.to_owned(), Value::String(clean(text)))));
    }
}

fn insert(fields: &mut Map<String, Value>, name: &str, view: &impl Serialize) {
    fields.insert(name.to_owned(), super::shape::shape(view));
}

impl ShownMessage {
    /// Returns a message of fields, which are cut to a length.
    pub(crate) fn new(fields: Map<String, Value>, max_chars: usize) -> Self {
        let mut fields = fields;
        let cuts = fit(&mut fields, max_chars);
        Self { fields, cuts, rest: None }
    }

    /// Adds the bodies. A message of quoted history alone shows that history.
    pub(crate) fn add_bodies(&mut self, message: &Message, range: BodyRange) {
        let body = &message.body;
        let new_text = body.extracted_text.as_deref().filter(|text| !text.trim().is_empty());
        let whole_text = body.text.as_deref();
        let (name, text) = match (new_text, whole_text) {
            (Some(text), _) if !range.has_quotes => ("extractedText", Some(text)),
            (_, Some(text)) => ("text", Some(text)),
            (text, None) => ("extractedText", text),
        };
        let has_quotes = name == "extractedText"
            && whole_text.is_some_and(|whole| new_text.is_some_and(|new| whole.len() > new.len()));
        self.fields.insert("hasQuotedText".to_owned(), Value::Bool(has_quotes));
        self.fields.insert("hasHtml".to_owned(), Value::Bool(body.html.is_some()));
        let html = body.html.as_deref().filter(|_| range.has_html);
        self.add_parts(&[(name, text), ("html", html)], range);
    }

    /// Adds the asked part of each body, within the room that the other fields leave, and records the rest.
    pub(crate) fn add_parts(&mut self, bodies: &[(&str, Option<&str>)], range: BodyRange) {
        let bodies: Vec<(&str, &str)> = bodies.iter().filter_map(|(name, body)| Some((*name, (*body)?))).collect();
        let room = MAX_RESULT_CHARS.saturating_sub(RESERVED_CHARS + fields_length(&self.fields));
        let limit = range.max_chars.min(room / bodies.len().max(1));
        for (name, content) in bodies {
            let part = excerpt(&clean(content), range.offset, limit);
            let end = range.offset.min(part.total) + part.returned;
            if end < part.total {
                self.rest = Some(self.rest.map_or(end, |rest| rest.min(end)));
            }
            if part.returned < part.total {
                self.cuts.push(Truncation { field: name.to_owned(), returned: part.returned, total: part.total });
            }
            self.fields.insert(name.to_owned(), Value::String(part.text));
        }
    }
}

/// Returns the JSON characters of the bodies of a message.
pub(crate) fn body_length(fields: &Map<String, Value>) -> usize {
    ["extractedText", "text", "html"].iter().filter_map(|name| fields.get(*name)).map(budget::json_length).sum()
}
