//! A thread: as lists show it, and with its messages.

use inboxd_core::app::threads::ThreadPage;
use inboxd_core::model;
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::actor::ActorView;
use super::attachment::AttachmentView;
use super::time::format_time;
use super::{DraftView, MessageView, NoteView};
use crate::query::Paging;

/// A thread without its messages.
#[derive(Serialize, ToSchema)]
#[schema(as = ThreadItem)]
pub(crate) struct ThreadItemView {
    /// The inbox that it is in.
    inbox_id: String,
    /// Its id.
    thread_id: String,
    /// The labels of its messages together.
    labels: Vec<String>,
    /// When its newest message came or went.
    #[schema(format = DateTime)]
    timestamp: String,
    /// When the newest received one came.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    received_timestamp: Option<String>,
    /// When the newest sent one went.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    sent_timestamp: Option<String>,
    /// Everyone who wrote in it.
    senders: Vec<String>,
    /// Everyone whom it was addressed to.
    recipients: Vec<String>,
    /// The subject of its first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    subject: Option<String>,
    /// The preview of its newest message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    preview: Option<String>,
    /// The attachments of its messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    attachments: Vec<AttachmentView>,
    /// Its newest message.
    last_message_id: String,
    /// How many messages it has.
    message_count: u64,
    /// Octets of its mails.
    size: u64,
    /// Whose it is, or null.
    #[schema(required = true)]
    assignee: Option<ActorView>,
    /// When it began.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it last changed.
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
            assignee: thread.assignee.map(ActorView::from),
            created_at: format_time(thread.created_at),
            updated_at: format_time(thread.updated_at),
        }
    }
}

/// A thread with a page of its messages: the first page holds the newest, and within a page the oldest comes first.
#[derive(Serialize, ToSchema)]
#[schema(as = Thread)]
pub(crate) struct ThreadView {
    #[serde(flatten)]
    item: ThreadItemView,
    /// How many messages are in this page.
    count: usize,
    /// How many were asked for at most.
    limit: u32,
    /// Leads to the page of older messages; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_page_token: Option<String>,
    /// The messages, with their bodies.
    messages: Vec<MessageView>,
    /// Unsent answers that were begun on it, the one changed last first; a very long body is left out.
    drafts: Vec<DraftView>,
    /// What was written beside it, the oldest first.
    notes: Vec<NoteView>,
}

impl ThreadView {
    pub(crate) fn new(page: ThreadPage, paging: &Paging, now: OffsetDateTime) -> Self {
        Self {
            item: page.thread.into(),
            count: page.messages.items.len(),
            limit: paging.request.limit,
            next_page_token: paging.next(page.messages.next.as_ref()),
            messages: page.messages.items.into_iter().map(MessageView::from).collect(),
            drafts: page.drafts.into_iter().map(|draft| DraftView::new(draft, now)).collect(),
            notes: page.notes.into_iter().map(NoteView::from).collect(),
        }
    }
}
