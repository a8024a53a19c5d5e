//! The outgoing queue: mail that was accepted and has not yet reached everyone.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{InboxId, MessageId, OrganizationId, OutgoingId, PodId, ThreadId};

/// Which way a mail leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// To an inbox of this service, through the receiving path.
    Local,
    /// To the outside world, by the configured transport.
    Remote,
}

/// The octets of a mail in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawMail {
    /// The raw mail of the stored message. Storage keeps it for the queue when the message is deleted on the way.
    OfMessage,
    /// Its own, for the service's mails have no message. Sealed by the vault, for they carry codes.
    Sealed(Vec<u8>),
}

/// The message that a queued mail carries; the service's own mails have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// The pod of the inbox.
    pub pod_id: PodId,
    /// The inbox that sent it.
    pub inbox_id: InboxId,
    /// The thread.
    pub thread_id: ThreadId,
    /// The message.
    pub message_id: MessageId,
}

/// A mail in the queue, with the recipients it has yet to reach by one route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Its id.
    pub outgoing_id: OutgoingId,
    /// Whose mail it is.
    pub organization_id: OrganizationId,
    /// The message it carries.
    pub message: Option<SentMessage>,
    /// Which way it leaves.
    pub route: Route,
    /// Where all of its recipients are, as [`Destination`](crate::rules::destinations::Destination) names it; empty where
    /// the way is the same for all mail.
    pub destination: String,
    /// The return path; reports of failures come back to it.
    pub envelope_from: EmailAddress,
    /// Whom it has yet to reach.
    pub recipients: Vec<EmailAddress>,
    /// The mail.
    pub raw: RawMail,
    /// How many times delivery was tried.
    pub attempts: u32,
    /// The claim under which it was tried last.
    pub claim_id: Option<Uuid>,
    /// Whether its sender was told that it is late.
    pub is_delay_told: bool,
    /// Whether it is a code, which leaves ahead of tenants' mail.
    pub is_code: bool,
    /// When it was accepted.
    pub created_at: OffsetDateTime,
    /// When it is to be tried next. While a worker has it, when that worker's claim runs out.
    pub due_at: OffsetDateTime,
}

/// What became of one recipient in one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Its server took the mail.
    Delivered,
    /// Its server refused the mail for good.
    Refused {
        /// The enhanced status code, `5.1.1`; made from the reply code where the server gave none.
        status: String,
        /// The server's words.
        reply: String,
    },
    /// It can be tried again.
    Deferred {
        /// Why, in words.
        reason: String,
    },
}
