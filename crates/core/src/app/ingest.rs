//! Message builder for inbound and outgoing mail.

use inboxd_mail::{EmailAddress, HeaderAddress, ParsedAttachment, ParsedMail};
use time::OffsetDateTime;

use super::App;
use crate::model::{
    Actor, Attachment, AttachmentId, ExtractedCode, ExtractedFindings, ExtractedLink, InboxId, Labels, Message,
    MessageBody, MessageId, MessageItem, OrganizationId, ThreadId,
};
use crate::rules::trust::Judgement;

/// Maximum number of listed attachments of a message; the raw message has all of them.
pub(super) const MAX_MESSAGE_ATTACHMENTS: usize = 500;

/// Facts about a message that its content does not contain.
pub(super) struct Origin {
    pub(super) organization_id: OrganizationId,
    pub(super) inbox_id: InboxId,
    pub(super) thread_id: ThreadId,
    pub(super) message_id: MessageId,
    pub(super) labels: Labels,
    pub(super) bcc: Vec<String>,
    pub(super) sent_by: Option<Actor>,
    /// Trust in the message; `None` for a sent message.
    pub(super) trust: Option<Judgement>,
    /// Envelope recipient; `None` for a sent message.
    pub(super) recipient: Option<EmailAddress>,
    /// Calendar event of a sent message; that of a received one is found later.
    pub(super) calendar_event_id: Option<String>,
    pub(super) size: usize,
    pub(super) now: OffsetDateTime,
}

/// Builds the message of an inbox from a parsed mail.
pub(super) fn message(app: &App, mail: &ParsedMail, origin: Origin) -> Message {
    let item = MessageItem {
        organization_id: origin.organization_id,
        inbox_id: origin.inbox_id,
        thread_id: origin.thread_id,
        message_id: origin.message_id,
        labels: origin.labels,
        timestamp: origin.now,
        from: mail.from.first().or(mail.sender.as_ref()).map(ToString::to_string).unwrap_or_default(),
        to: texts(&mail.to),
        cc: texts(&mail.cc),
        bcc: if origin.bcc.is_empty() { texts(&mail.bcc) } else { origin.bcc },
        reply_to: texts(&mail.reply_to),
        subject: mail.subject.clone(),
        preview: mail.preview.clone(),
        attachments: mail
            .attachments
            .iter()
            .take(MAX_MESSAGE_ATTACHMENTS)
            .map(|part| attachment(part, app.mint(origin.now)))
            .collect(),
        in_reply_to: mail.in_reply_to.first().cloned().map(MessageId::stored),
        references: mail.references.iter().cloned().map(MessageId::stored).collect(),
        size: u64::try_from(origin.size).unwrap_or(u64::MAX),
        sent_by: origin.sent_by,
        created_at: origin.now,
        updated_at: origin.now,
        delivered_to: origin.recipient.as_ref().map(EmailAddress::normalized),
        tag: origin.recipient.as_ref().and_then(tag_of),
        trust: origin.trust,
        release: None,
        redacted_at: None,
        calendar_event_id: origin.calendar_event_id,
    };
    let body = MessageBody {
        text: mail.text.clone(),
        html: mail.html.clone(),
        extracted_text: mail.extracted_text.clone(),
        extracted_html: mail.extracted_html.clone(),
        headers: mail.headers.clone(),
        extracted: Some(extracted(mail)),
        authentication: None,
        spam: None,
    };
    Message { item, body }
}

/// Returns the searchable text in lower case: sender, recipients, subject and text, one per line.
pub(super) fn search_text(message: &Message) -> String {
    let item = &message.item;
    let mut lines: Vec<&str> = vec![&item.from];
    lines.extend(item.to.iter().chain(&item.cc).map(String::as_str));
    lines.extend(item.subject.as_deref());
    lines.extend(message.body.text.as_deref());
    lines.join("\n").to_lowercase()
}

/// Converts what the parser extracted beside the new text.
fn extracted(mail: &ParsedMail) -> ExtractedFindings {
    let codes = mail.codes.iter().map(|found| ExtractedCode {
        code: found.code.clone(),
        confidence: found.confidence,
        context: found.context.clone(),
    });
    let links = mail.links.iter().map(|found| ExtractedLink {
        url: found.url.clone(),
        kind: found.kind.into(),
        confidence: found.confidence,
        context: found.context.clone(),
    });
    ExtractedFindings {
        codes: codes.collect(),
        links: links.collect(),
        has_hidden_text: mail.hides_text,
        signature: mail.signature.clone(),
        footer: mail.footer.clone(),
        calendar: mail.calendar.clone(),
    }
}

fn attachment(part: &ParsedAttachment, attachment_id: AttachmentId) -> Attachment {
    Attachment {
        attachment_id,
        part: part.part,
        filename: part.filename.clone(),
        content_type: part.content_type.clone(),
        content_disposition: part.disposition,
        content_id: part.content_id.clone(),
        size: part.size,
    }
}

/// Returns the text after the first `+` of the local part, in lower case.
fn tag_of(address: &EmailAddress) -> Option<String> {
    let normalized = address.normalized();
    let (name, _) = normalized.rsplit_once('@')?;
    name.split_once('+').map(|(_, tag)| tag.to_owned()).filter(|tag| !tag.is_empty())
}

fn texts(addresses: &[HeaderAddress]) -> Vec<String> {
    addresses.iter().map(ToString::to_string).collect()
}
