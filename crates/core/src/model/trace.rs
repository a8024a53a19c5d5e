//! Trace: the timeline of an inbox or a message, merged from everything that is stored about it.

use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    Actor, Cursor, DeliveryAttempt, Event, EventBody, FirstRead, LabelEvent, MessageId, SmtpRefusal, ThreadId,
    WebhookAttempt,
};
use crate::rules::trust::Judgement;

/// Table that entries come from. At equal times an earlier source precedes a later one: an attempt its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceSource {
    /// Delivery attempts.
    Deliveries,
    /// Events.
    Events,
    /// Label changes by callers.
    Labels,
    /// Mail that was refused at SMTP.
    Refusals,
    /// First reads of messages.
    Reads,
}

impl TraceSource {
    /// All sources. A new kind of an entry is an event type or a source.
    pub const ALL: [Self; 5] = [Self::Deliveries, Self::Events, Self::Labels, Self::Refusals, Self::Reads];
}

/// Place of an entry in the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TracePlace {
    /// Time of the entry.
    pub at: OffsetDateTime,
    /// Source of the entry.
    pub source: TraceSource,
    /// Id within the source.
    pub id: Uuid,
}

impl TracePlace {
    /// Returns the cursor of the place.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        let rank = TraceSource::ALL.iter().position(|source| *source == self.source).unwrap_or_default();
        Cursor { time: self.at, id: format!("{rank}:{}", self.id) }
    }

    /// Returns the place of a cursor; `None` for a cursor of another list.
    #[must_use]
    pub fn of(cursor: &Cursor) -> Option<Self> {
        let (rank, id) = cursor.id.split_once(':')?;
        let source = *TraceSource::ALL.get(rank.parse::<usize>().ok()?)?;
        Some(Self { at: cursor.time, source, id: Uuid::try_parse(id).ok()? })
    }
}

/// Message of an event, as far as the trace shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedMessage {
    /// Sender.
    pub from: String,
    /// Subject.
    pub subject: Option<String>,
    /// Judgement of a received message.
    pub trust: Option<Judgement>,
    /// Author of a sent message.
    pub sent_by: Option<Actor>,
    /// Message that it answers.
    pub in_reply_to: Option<MessageId>,
}

/// Stored record that an entry shows.
#[derive(Debug, Clone, PartialEq)]
pub enum TraceRecord {
    /// An event, with its message while that exists, and its webhook attempts.
    Event {
        /// The event.
        event: Box<Event>,
        /// Message of the event.
        message: Option<Box<TracedMessage>>,
        /// First attempts to deliver the event to webhooks, oldest first.
        webhook_attempts: Vec<WebhookAttempt>,
    },
    /// A label change by a caller.
    Label {
        /// The change.
        change: LabelEvent,
        /// Thread of its message; `None` after deletion.
        thread_id: Option<ThreadId>,
    },
    /// An attempt to deliver a sent message.
    Delivery(DeliveryAttempt),
    /// Refusals of mail at SMTP.
    Refusal(Box<SmtpRefusal>),
    /// The first read of a message by a reader.
    Read {
        /// The read.
        read: Box<FirstRead>,
        /// Thread of its message; `None` after deletion.
        thread_id: Option<ThreadId>,
    },
}

/// Entry of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceEntry {
    /// Place in the timeline.
    pub place: TracePlace,
    /// The record.
    pub record: TraceRecord,
}

impl TraceEntry {
    /// Returns the kind: the type of an event, or the name of another record.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.record {
            TraceRecord::Event { event, .. } => event.event_type.as_str(),
            TraceRecord::Label { change, .. } => change.event_type.as_str(),
            TraceRecord::Delivery(_) => "delivery.attempted",
            TraceRecord::Refusal(_) => "smtp.refused",
            TraceRecord::Read { .. } => "message.read",
        }
    }

    /// Returns the message that the entry is about.
    #[must_use]
    pub fn message_id(&self) -> Option<&MessageId> {
        match &self.record {
            TraceRecord::Event { event, .. } => event.message_id.as_ref(),
            TraceRecord::Label { change, .. } => Some(&change.message_id),
            TraceRecord::Delivery(attempt) => Some(&attempt.message.message_id),
            TraceRecord::Refusal(_) => None,
            TraceRecord::Read { read, .. } => Some(&read.message_id),
        }
    }

    /// Returns the thread of the message.
    #[must_use]
    pub fn thread_id(&self) -> Option<ThreadId> {
        match &self.record {
            TraceRecord::Event { event, .. } => event.thread_id,
            TraceRecord::Label { thread_id, .. } | TraceRecord::Read { thread_id, .. } => *thread_id,
            TraceRecord::Delivery(attempt) => Some(attempt.message.thread_id),
            TraceRecord::Refusal(_) => None,
        }
    }

    /// Returns the member or key that acted; `None` for the service and for strangers.
    #[must_use]
    pub fn actor(&self) -> Option<&Actor> {
        match &self.record {
            TraceRecord::Event { event, message, .. } => match &event.body {
                EventBody::Send { .. } => message.as_ref().and_then(|message| message.sent_by.as_ref()),
                EventBody::Override { release } => Some(&release.actor),
                EventBody::Approve { approved_by, .. } => Some(approved_by),
                EventBody::Redact { redacted_by } => Some(redacted_by),
                _ => None,
            },
            TraceRecord::Label { change, .. } => Some(&change.actor),
            TraceRecord::Read { read, .. } => Some(&read.reader),
            TraceRecord::Delivery(_) | TraceRecord::Refusal(_) => None,
        }
    }
}

/// Entries of one source behind a cursor, in the order of the page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TraceSegment {
    /// The entries.
    pub entries: Vec<TraceEntry>,
    /// Place up to which the source was read; `None` when it was read to its end.
    pub read_to: Option<TracePlace>,
}
