//! Threads, with and without messages.

use inboxd_core::app::threads::ThreadPage;
use inboxd_core::model;
use inboxd_core::rules::trust::Judgement;
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::actor::ActorView;
use super::attachment::AttachmentView;
use super::time::format_time;
use super::trust_schema::TrustView;
use super::{DraftView, MessageView, NoteView};
use crate::query::Paging;

/// Thread without its messages.
#[derive(Serialize, ToSchema)]
#[schema(as = ThreadItem)]
pub(crate) struct ThreadItemView {
    /// Inbox of the thread.
    inbox_id: String,
    /// Id of the thread.
    thread_id: String,
    /// Labels of all messages of the thread.
    labels: Vec<String>,
    /// Time of the newest message.
    #[schema(format = DateTime)]
    timestamp: String,
    /// Time of the newest received message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    received_timestamp: Option<String>,
    /// Time of the newest sent message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    sent_timestamp: Option<String>,
    /// Senders of all messages.
    senders: Vec<String>,
    /// Recipients of all messages.
    recipients: Vec<String>,
    /// Subject of the first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    subject: Option<String>,
    /// Preview of the newest message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    preview: Option<String>,
    /// Attachments of all messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    attachments: Vec<AttachmentView>,
    /// Id of the newest message.
    last_message_id: String,
    /// Number of messages.
    message_count: u64,
    /// Size of all messages in bytes.
    size: u64,
    /// Trust in the newest received message; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<TrustView>, nullable = false)]
    trust: Option<Judgement>,
    /// Assignee of the thread, or null.
    #[schema(required = true)]
    assignee: Option<ActorView>,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<model::Thread> for ThreadItemView {
    fn from(thread: model::Thread) -> Self {
        Self {
            inbox_id: thread.inbox_id.to_string(),
            thread_id: thread.thread_id.to_string(),
            labels: thread.labels.to_vec(),
            timestamp: format_time(thread.timestamp),
            received_timestamp: thread.received_timestamp.map(format_time),
            sent_timestamp: thread.sent_timestamp.map(format_time),
            senders: thread.senders,
            recipients: thread.recipients,
            subject: thread.subject,
            preview: thread.preview,
            attachments: thread.attachments.into_iter().map(AttachmentView::from).collect(),
            last_message_id: thread.last_message_id.to_string(),
            message_count: thread.message_count,
            size: thread.size,
            trust: thread.trust,
            assignee: thread.assignee.map(ActorView::from),
            created_at: format_time(thread.created_at),
            updated_at: format_time(thread.updated_at),
        }
    }
}

/// Thread with a page of its messages. The first page holds the newest messages; within a page the oldest is first.
#[derive(Serialize, ToSchema)]
#[schema(as = Thread)]
pub(crate) struct ThreadView {
    #[serde(flatten)]
    item: ThreadItemView,
    /// Number of messages in this page.
    count: usize,
    /// Maximum number of messages in a page.
    limit: u32,
    /// Token of the page of older messages; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_page_token: Option<String>,
    /// Messages with their bodies.
    messages: Vec<MessageView>,
    /// Unsent drafts of replies, last changed first. Very long bodies are omitted.
    drafts: Vec<DraftView>,
    /// Notes, oldest first.
    notes: Vec<NoteView>,
}

impl ThreadView {
    /// Returns a page of a thread with the views of its messages.
    pub(crate) fn new(page: ThreadPage, messages: Vec<MessageView>, paging: &Paging, now: OffsetDateTime) -> Self {
        Self {
            item: page.thread.into(),
            count: messages.len(),
            limit: paging.request.limit,
            next_page_token: paging.next(page.messages.next.as_ref()),
            messages,
            drafts: page.drafts.into_iter().map(|draft| DraftView::new(draft, now)).collect(),
            notes: page.notes.into_iter().map(NoteView::from).collect(),
        }
    }
}
