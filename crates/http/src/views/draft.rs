//! Drafts, with and without bodies.

use inboxd_core::model::{self, DraftKind, MessageId, SendStatus};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::actor::ActorView;
use super::attachment::AttachmentView;
use super::policy::ApprovalView;
use super::time::format_time;

/// Draft without its bodies.
#[derive(Serialize, ToSchema)]
#[schema(as = DraftItem)]
pub(crate) struct DraftItemView {
    /// Inbox that the draft is sent from.
    inbox_id: String,
    /// Id of the draft.
    draft_id: String,
    /// Idempotency key of the creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// Thread of the message that the draft replies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    thread_id: Option<String>,
    /// Labels: `draft`, `scheduled`, `awaiting_approval`, and labels set by callers.
    labels: Vec<String>,
    /// Addresses for replies (Reply-To); by default the inbox.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    reply_to: Vec<String>,
    /// Recipients (To).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    to: Vec<String>,
    /// Recipients of a copy (Cc).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    cc: Vec<String>,
    /// Recipients of a blind copy (Bcc).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    bcc: Vec<String>,
    /// Subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    subject: Option<String>,
    /// Beginning of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    preview: Option<String>,
    /// Attachments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    attachments: Vec<AttachmentView>,
    /// Id of the message that the draft replies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    in_reply_to: Option<String>,
    /// Id of the message that the draft forwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    forward_of: Option<String>,
    /// Ids of the earlier messages of the conversation, oldest first (References).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    references: Vec<String>,
    /// `scheduled`, `sending` or `failed`; absent if the draft was not scheduled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    send_status: Option<&'static str>,
    /// Scheduled time of sending.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    send_at: Option<String>,
    /// Id that the message will have, of a send with `send_at` or `undo_seconds` that no policy has held.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message_id: Option<String>,
    /// `awaiting_approval`, `rejected` or `expired`; absent if no policy held the message, or after a change of the draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<&'static str>,
    /// Approval that the message waits for, or waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    approval: Option<ApprovalView>,
    /// Author of the draft.
    created_by: ActorView,
    /// Author of the last change.
    updated_by: ActorView,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
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
            message_id: item.delayed.filter(|delayed| !delayed.was_held).map(|delayed| delayed.message_id.to_string()),
            status: item.approval.as_ref().map(|approval| approval.status.as_str()),
            approval: item.approval.map(ApprovalView::from),
            created_by: item.created_by.into(),
            updated_by: item.updated_by.into(),
            created_at: format_time(item.created_at),
            updated_at: format_time(item.updated_at),
        }
    }
}

/// Send that was cancelled before it left.
#[derive(Serialize, ToSchema)]
pub(crate) struct CancelledSend {
    /// Id that the message would have had.
    message_id: String,
    /// Draft that holds its content.
    draft_id: String,
}

impl CancelledSend {
    pub(crate) fn new(message_id: &MessageId, draft: &model::Draft) -> Self {
        Self { message_id: message_id.to_string(), draft_id: draft.item.draft_id.to_string() }
    }
}

/// Draft with its bodies.
#[derive(Serialize, ToSchema)]
#[schema(as = Draft)]
pub(crate) struct DraftView {
    #[serde(flatten)]
    item: DraftItemView,
    /// Plain text body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text: Option<String>,
    /// HTML body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    html: Option<String>,
}

impl DraftView {
    pub(crate) fn new(draft: model::Draft, now: OffsetDateTime) -> Self {
        Self { item: DraftItemView::new(draft.item, now), text: draft.text, html: draft.html }
    }
}
