//! A draft: as lists show it, and whole.

use inboxd_core::model::{self, DraftKind, MessageId, SendStatus};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::actor::ActorView;
use super::attachment::AttachmentView;
use super::time::format_time;

/// A draft without its bodies.
#[derive(Serialize, ToSchema)]
#[schema(as = DraftItem)]
pub(crate) struct DraftItemView {
    /// The inbox that it will be sent from.
    inbox_id: String,
    /// Its id.
    draft_id: String,
    /// The idempotency key of its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// The thread of the message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    thread_id: Option<String>,
    /// Its labels: `draft`, `scheduled`, and the caller's own.
    labels: Vec<String>,
    /// Where answers go, if not to the inbox.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    reply_to: Vec<String>,
    /// The recipients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    to: Vec<String>,
    /// Those who get a copy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    cc: Vec<String>,
    /// Those who get a copy that nobody sees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    bcc: Vec<String>,
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
    attachments: Vec<AttachmentView>,
    /// The message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    in_reply_to: Option<String>,
    /// The message that it passes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    forward_of: Option<String>,
    /// The messages before it, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    references: Vec<String>,
    /// `scheduled`, `sending`, or `failed`; absent on a draft that nobody has scheduled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    send_status: Option<&'static str>,
    /// When it is to be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    send_at: Option<String>,
    /// Who began it.
    created_by: ActorView,
    /// Who changed it last.
    updated_by: ActorView,
    /// When it was written.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl DraftItemView {
    pub(crate) fn new(item: model::DraftItem, now: OffsetDateTime) -> Self {
        let thread_id = item.thread_id().map(|thread_id| thread_id.to_string());
        let send_status = item.dispatch.status(now).map(SendStatus::as_str);
        let text = |id: MessageId| id.to_string();
        let (in_reply_to, forward_of, references) = match item.kind {
            DraftKind::Plain => (None, None, Vec::new()),
            DraftKind::Reply { in_reply_to, references, .. } => {
                (Some(text(in_reply_to)), None, references.into_iter().map(text).collect())
            }
            DraftKind::Forward { forward_of } => (None, Some(text(forward_of)), Vec::new()),
        };
        Self {
            inbox_id: item.inbox_id.to_string(),
            draft_id: item.draft_id.to_string(),
            client_id: item.client_id,
            thread_id,
            labels: item.labels.to_vec(),
            reply_to: item.reply_to,
            to: item.to,
            cc: item.cc,
            bcc: item.bcc,
            subject: item.subject,
            preview: item.preview,
            attachments: item.attachments.into_iter().map(AttachmentView::from).collect(),
            in_reply_to,
            forward_of,
            references,
            send_status,
            send_at: item.dispatch.send_at.map(format_time),
            created_by: item.created_by.into(),
            updated_by: item.updated_by.into(),
            created_at: format_time(item.created_at),
            updated_at: format_time(item.updated_at),
        }
    }
}

/// A draft with its bodies.
#[derive(Serialize, ToSchema)]
#[schema(as = Draft)]
pub(crate) struct DraftView {
    #[serde(flatten)]
    item: DraftItemView,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text: Option<String>,
    /// The HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    html: Option<String>,
}

impl DraftView {
    pub(crate) fn new(draft: model::Draft, now: OffsetDateTime) -> Self {
        Self { item: DraftItemView::new(draft.item, now), text: draft.text, html: draft.html }
    }
}
