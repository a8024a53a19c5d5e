//! Handing mail to the outside world.

use async_trait::async_trait;
use inboxd_mail::EmailAddress;

use crate::model::{Outcome, OutgoingId};

/// A mail to hand over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingMail {
    /// Its id in the queue, for the log.
    pub outgoing_id: OutgoingId,
    /// The return path.
    pub envelope_from: EmailAddress,
    /// Whom it is for.
    pub recipients: Vec<EmailAddress>,
    /// The mail, octet for octet.
    pub raw: Vec<u8>,
}

/// What became of one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientOutcome {
    /// The recipient.
    pub recipient: EmailAddress,
    /// What became of it.
    pub outcome: Outcome,
}

/// Hands mail to the outside world: a relay, or nobody.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Tries to hand a mail over, within a bounded time. Answers one outcome for each recipient, in their order; what
    /// went wrong on the way is a [`Outcome::Deferred`].
    async fn deliver(&self, mail: &OutgoingMail) -> Vec<RecipientOutcome>;
}
