//! A thread: as lists show it, and with its messages.

use inboxd_core::app::threads::ThreadPage;
use inboxd_core::model;
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::actor::Actor;
use super::attachment::Attachment;
use super::time::shown;
use super::{Draft, Message, Note};
use crate::query::Paging;

/// A thread without its messages.
#[derive(Serialize, ToSchema)]
pub(crate) struct ThreadItem {
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
    attachments: Vec<Attachment>,
    /// Its newest message.
    last_message_id: String,
    /// How many messages it has.
    message_count: u64,
    /// Octets of its mails.
    size: u64,
    /// Whose it is, or null.
    #[schema(required = true)]
    assignee: Option<Actor>,
    /// When it began.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<model::Thread> for ThreadItem {
    fn from(thread: model::Thread) -> Self {
        Self {
            inbox_id: thread.inbox_id.to_string(),
            thread_id: thread.thread_id.to_string(),
            labels: thread.labels.to_vec(),
            timestamp: shown(thread.timestamp),
            received_timestamp: thread.received_timestamp.map(shown),
            sent_timestamp: thread.sent_timestamp.map(shown),
            senders: thread.senders,
            recipients: thread.recipients,
            subject: thread.subject,
            preview: thread.preview,
            attachments: thread.attachments.into_iter().map(Attachment::from).collect(),
            last_message_id: thread.last_message_id.to_string(),
            message_count: thread.message_count,
            size: thread.size,
            assignee: thread.assignee.map(Actor::from),
            created_at: shown(thread.created_at),
            updated_at: shown(thread.updated_at),
        }
    }
}

/// A thread with a page of its messages: the first page holds the newest, and within a page the oldest comes first.
#[derive(Serialize, ToSchema)]
pub(crate) struct Thread {
    #[serde(flatten)]
    item: ThreadItem,
    /// How many messages are in this page.
    count: usize,
    /// How many were asked for at most.
    limit: u32,
    /// Leads to the page of older messages; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_page_token: Option<String>,
    /// The messages, with their bodies.
    messages: Vec<Message>,
    /// Unsent answers that were begun on it, the one changed last first; a very long body is left out.
    drafts: Vec<Draft>,
    /// What was written beside it, the oldest first.
    notes: Vec<Note>,
}

impl Thread {
    pub(crate) fn new(page: ThreadPage, paging: &Paging, now: OffsetDateTime) -> Self {
        Self {
            item: page.thread.into(),
            count: page.messages.items.len(),
            limit: paging.request.limit,
            next_page_token: paging.next(page.messages.next.as_ref()),
            messages: page.messages.items.into_iter().map(Message::from).collect(),
            drafts: page.drafts.into_iter().map(|draft| Draft::new(draft, now)).collect(),
            notes: page.notes.into_iter().map(Note::from).collect(),
        }
    }
}
