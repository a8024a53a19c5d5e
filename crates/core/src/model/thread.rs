//! Threads: conversations within one inbox.

use time::OffsetDateTime;

use super::{Actor, Attachment, HidingLabels, InboxId, Labels, MessageId, MessageItem, OrganizationId, ThreadId};
use crate::rules::trust::Judgement;

/// Maximum senders and maximum recipients that a thread lists, and maximum bytes of each list.
///
/// A thread is read with each list of threads and written with each of its messages, so it must stay small. Addresses
/// have a maximum length, but their number has none.
const MAX_PARTICIPANTS: usize = 200;
const MAX_PARTICIPANT_BYTES: usize = 32 * 1024;
/// Maximum attachments that a thread lists, and maximum bytes of their names, types and ids; its messages list their
/// own.
const MAX_ATTACHMENTS: usize = 500;
const MAX_ATTACHMENT_BYTES: usize = 64 * 1024;

/// A conversation, summarized from its messages.
///
/// The summary covers the visible messages; if all are hidden, it covers those.
#[derive(Debug, Clone, PartialEq)]
pub struct Thread {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Its id.
    pub thread_id: ThreadId,
    /// Union of the labels of its messages.
    pub labels: Labels,
    /// Time of its newest message.
    pub timestamp: OffsetDateTime,
    /// Time of its newest received message.
    pub received_timestamp: Option<OffsetDateTime>,
    /// Time of its newest sent message.
    pub sent_timestamp: Option<OffsetDateTime>,
    /// All senders, as `Name <address>`.
    pub senders: Vec<String>,
    /// All recipients.
    pub recipients: Vec<String>,
    /// Subject of its first message.
    pub subject: Option<String>,
    /// Preview of its newest message.
    pub preview: Option<String>,
    /// Attachments of its messages, up to the limit.
    pub attachments: Vec<Attachment>,
    /// Newest message.
    pub last_message_id: MessageId,
    /// Number of messages.
    pub message_count: u64,
    /// Bytes of its raw messages.
    pub size: u64,
    /// Set of the combinations of hiding labels among its messages ([`HidingLabels::as_set`]).
    pub hidden_sets: i32,
    /// Trust in its newest received message.
    pub trust: Option<Judgement>,
    /// Assigned member or key; new messages leave it unchanged.
    pub assignee: Option<Actor>,
    /// Time of creation.
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

impl Thread {
    /// Returns whether the thread has messages with other hiding labels than these.
    #[must_use]
    pub fn has_hidden_from(&self, readable: HidingLabels) -> bool {
        self.hidden_sets & !readable.shown_set() != 0
    }

    /// Returns the thread that a message starts.
    #[must_use]
    pub fn started_by(message: &MessageItem) -> Self {
        let mut thread = Self {
            organization_id: message.organization_id,
            inbox_id: message.inbox_id.clone(),
            thread_id: message.thread_id,
            labels: Labels::default(),
            timestamp: message.timestamp,
            received_timestamp: None,
            sent_timestamp: None,
            senders: Vec::new(),
            recipients: Vec::new(),
            subject: None,
            preview: None,
            attachments: Vec::new(),
            last_message_id: message.message_id.clone(),
            message_count: 0,
            size: 0,
            hidden_sets: 0,
            trust: None,
            assignee: None,
            created_at: message.created_at,
            updated_at: message.created_at,
        };
        thread.take_in(message);
        thread
    }

    /// Returns the thread with one more, newest message.
    #[must_use]
    pub fn joined_by(mut self, message: &MessageItem) -> Self {
        let shows_hidden_only = self.hidden_sets & HidingLabels::NONE.as_set() == 0;
        let is_hidden = HidingLabels::of(&message.labels) != HidingLabels::NONE;
        if shows_hidden_only && !is_hidden {
            // This is the first visible message; the summary so far came from hidden ones.
            let begun = Self { created_at: self.created_at, assignee: self.assignee, ..Self::started_by(message) };
            return Self {
                message_count: self.message_count + 1,
                size: self.size + message.size,
                hidden_sets: self.hidden_sets | begun.hidden_sets,
                updated_at: self.updated_at.max(begun.updated_at),
                labels: {
                    self.labels.extend(&begun.labels);
                    self.labels
                },
                ..begun
            };
        }
        self.take_in(message);
        self
    }

    /// Returns the thread rebuilt from its messages, oldest first; `None` without messages.
    #[must_use]
    pub fn summed_up(self, messages: &[MessageItem], now: OffsetDateTime) -> Option<Self> {
        messages.iter().fold(ThreadSum::default(), ThreadSum::with).of(self, now)
    }

    /// Returns the thread with other labels. The rest of the summary is unchanged while the same messages are hidden.
    #[must_use]
    pub fn relabelled(self, labels: Labels, now: OffsetDateTime) -> Self {
        Self { labels, updated_at: now, ..self }
    }

    fn take_in(&mut self, message: &MessageItem) {
        let hidden = HidingLabels::of(&message.labels);
        let shows_visible = self.hidden_sets & HidingLabels::NONE.as_set() != 0;
        self.labels.extend(&message.labels);
        self.hidden_sets |= hidden.as_set();
        self.message_count += 1;
        self.size += message.size;
        self.updated_at = self.updated_at.max(message.updated_at);
        if shows_visible && hidden != HidingLabels::NONE {
            return;
        }
        let seen = if message.sent_by.is_some() || message.labels.contains("sent") {
            &mut self.sent_timestamp
        } else {
            if self.received_timestamp.is_none_or(|newest| newest <= message.timestamp) {
                self.trust.clone_from(&message.trust);
            }
            &mut self.received_timestamp
        };
        *seen = Some(seen.map_or(message.timestamp, |at| at.max(message.timestamp)));
        add_participants(&mut self.senders, std::iter::once(&message.from));
        add_participants(&mut self.recipients, message.to.iter().chain(&message.cc).chain(&message.bcc));
        if self.subject.is_none() {
            self.subject.clone_from(&message.subject);
        }
        add_attachments(&mut self.attachments, &message.attachments);
        if message.timestamp >= self.timestamp {
            self.timestamp = message.timestamp;
            self.preview.clone_from(&message.preview);
            self.last_message_id = message.message_id.clone();
        }
    }
}

/// Incremental summary of a thread over its messages, oldest first.
#[derive(Debug, Clone, Default)]
pub struct ThreadSum(Option<Thread>);

impl ThreadSum {
    /// Returns the summary with one more, newest message.
    #[must_use]
    pub fn with(self, message: &MessageItem) -> Self {
        Self(Some(match self.0 {
            Some(thread) => thread.joined_by(message),
            None => Thread::started_by(message),
        }))
    }

    /// Returns the thread with the summary; `None` without messages.
    #[must_use]
    pub fn of(self, thread: Thread, now: OffsetDateTime) -> Option<Thread> {
        let summed = self.0?;
        Some(Thread { created_at: thread.created_at, assignee: thread.assignee, updated_at: now, ..summed })
    }
}

/// Adds new participants up to the limit. One that is too long leaves its capacity to later ones.
fn add_participants<'a>(known: &mut Vec<String>, more: impl Iterator<Item = &'a String>) {
    let mut bytes: usize = known.iter().map(String::len).sum();
    for participant in more {
        if known.len() >= MAX_PARTICIPANTS {
            return;
        }
        if bytes + participant.len() <= MAX_PARTICIPANT_BYTES && !known.contains(participant) {
            bytes += participant.len();
            known.push(participant.clone());
        }
    }
}

fn add_attachments(known: &mut Vec<Attachment>, more: &[Attachment]) {
    let mut bytes: usize = known.iter().map(attachment_bytes).sum();
    let room = MAX_ATTACHMENTS.saturating_sub(known.len());
    let fits = |attachment: &&Attachment| {
        bytes += attachment_bytes(attachment);
        bytes <= MAX_ATTACHMENT_BYTES
    };
    known.extend(more.iter().take(room).take_while(fits).cloned());
}

/// Returns the bytes of an attachment's name, type and id, which its sender chose.
fn attachment_bytes(attachment: &Attachment) -> usize {
    let words = [&attachment.filename, &attachment.content_type, &attachment.content_id];
    words.into_iter().flatten().map(String::len).sum()
}
