//! Handing mail to the outside world.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use inboxd_mail::EmailAddress;

use crate::model::{DeliveryOutcome, OutgoingId};

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
    /// Whether it is a sign-in or verification code, which expires within minutes.
    pub is_code: bool,
    /// Whether it may still leave.
    pub recall: Recall,
}

/// The recall of a mail in hand, because its inbox was paused, its organization suspended or the queue held. A transport
/// looks before it begins to transmit content and before each part of it: a mail without its end is discarded by the server
/// that gets it.
#[derive(Debug, Clone, Default)]
pub struct Recall(Arc<AtomicBool>);

impl Recall {
    /// Recalls the mail, as far as it has not left.
    pub fn recall(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Returns whether the mail must not leave.
    #[must_use]
    pub fn is_recalled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Two recalls are the same while both say the same.
impl PartialEq for Recall {
    fn eq(&self, other: &Self) -> bool {
        self.is_recalled() == other.is_recalled()
    }
}

impl Eq for Recall {}

/// What became of one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientOutcome {
    /// The recipient.
    pub recipient: EmailAddress,
    /// What became of it.
    pub outcome: DeliveryOutcome,
}

/// Hands mail to the outside world: a relay, or nobody.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Tries to hand a mail over, within a bounded time. Answers one outcome for each recipient, in their order; what
    /// went wrong on the way is a [`DeliveryOutcome::Deferred`].
    async fn deliver(&self, mail: &OutgoingMail) -> Vec<RecipientOutcome>;
}
