//! Outgoing queue: accepted messages with undelivered recipients.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{InboxId, MessageId, OrganizationId, OutgoingId, PodId, ThreadId, TraceContext};

/// Route of a queued message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// To an inbox of this service, through the inbound pipeline.
    Local,
    /// To other servers, by the configured transport.
    Remote,
}

/// Content of a queued message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawMail {
    /// The raw bytes of the stored message. Storage retains them if the message is deleted before delivery.
    OfMessage,
    /// Content of a service message, which has no stored message. It contains codes and is therefore encrypted.
    Sealed(Vec<u8>),
}

/// Stored message of a queued one; service messages have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// The pod of the inbox.
    pub pod_id: PodId,
    /// Inbox that sent it.
    pub inbox_id: InboxId,
    /// The thread.
    pub thread_id: ThreadId,
    /// The message.
    pub message_id: MessageId,
}

/// A queued message with its undelivered recipients on one route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedMail {
    /// Its id.
    pub outgoing_id: OutgoingId,
    /// Organization of the message.
    pub organization_id: OrganizationId,
    /// Stored message.
    pub message: Option<SentMessage>,
    /// Route of the message.
    pub route: Route,
    /// Common [`MailDestination`](crate::rules::destinations::MailDestination) of its recipients; empty if all mail takes the
    /// same route.
    pub destination: String,
    /// Return path for bounce reports.
    pub envelope_from: EmailAddress,
    /// Undelivered recipients.
    pub recipients: Vec<EmailAddress>,
    /// Content.
    pub raw: RawMail,
    /// Number of attempts.
    pub attempts: u32,
    /// Claim of the last attempt.
    pub claim_id: Option<Uuid>,
    /// Whether the sender was notified of a delay.
    pub is_delay_told: bool,
    /// Whether it is a code, which is sent before tenants' mail.
    pub is_code: bool,
    /// Trace of the request that sent it; `None` without a request in a trace. The message itself does not have it.
    pub traceparent: Option<TraceContext>,
    /// Time of acceptance.
    pub created_at: OffsetDateTime,
    /// Time of the next attempt; during a claim, its expiry.
    pub due_at: OffsetDateTime,
}

/// Outcome of one attempt for one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The server accepted the message.
    Delivered,
    /// The server refused the message for good.
    Refused {
        /// Enhanced status code, `5.1.1`; derived from the reply code if the server sent none.
        status: String,
        /// Reply text of the server.
        reply: String,
    },
    /// The attempt failed for now and can be repeated.
    Deferred {
        /// Reason as a sentence.
        reason: String,
    },
}
