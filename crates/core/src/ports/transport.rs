//! Delivery of outgoing messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use inboxd_mail::EmailAddress;

use super::MessageKey;
use crate::model::{DeliveryReport, OutgoingId};

/// An outgoing message to transmit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingMail {
    /// The queue id, for the log.
    pub outgoing_id: OutgoingId,
    /// The stored message; `None` for a service message.
    pub message: Option<MessageKey>,
    /// The return path.
    pub envelope_from: EmailAddress,
    /// The recipients.
    pub recipients: Vec<EmailAddress>,
    /// The raw message, byte for byte.
    pub raw: Vec<u8>,
    /// Whether it is a sign-in or verification code, which expires within minutes.
    pub is_code: bool,
    /// The recall flag of the message.
    pub recall: Recall,
}

/// Recall flag of a claimed message, set when its inbox is paused, its organization suspended or the queue held. A
/// transport checks it before it transmits content and before each part of it. A server discards a message that it
/// received incompletely.
#[derive(Debug, Clone, Default)]
pub struct Recall(Arc<AtomicBool>);

impl Recall {
    /// Recalls the message unless it is already transmitted.
    pub fn recall(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Returns whether the message is recalled.
    #[must_use]
    pub fn is_recalled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Two flags are equal while they have the same value.
impl PartialEq for Recall {
    fn eq(&self, other: &Self) -> bool {
        self.is_recalled() == other.is_recalled()
    }
}

impl Eq for Recall {}

/// Report about one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientOutcome {
    /// The recipient.
    pub recipient: EmailAddress,
    /// The outcome with its session.
    pub report: DeliveryReport,
}

/// Transmits messages to remote servers.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Transmits a message within a bounded time. Returns one outcome per recipient, in the same order. A transport
    /// error is a [`Deferred`](crate::model::DeliveryOutcome::Deferred).
    async fn deliver(&self, mail: &OutgoingMail) -> Vec<RecipientOutcome>;
}
