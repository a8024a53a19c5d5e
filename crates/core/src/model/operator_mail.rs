//! Mail for the operator: to `postmaster@` and `abuse@` of the service without an inbox of that name.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

/// A message stored for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorMail {
    /// List form.
    pub item: OperatorMailItem,
    /// Digest, so that a retransmitted message is stored once.
    pub digest: [u8; 32],
    /// Network of the client, which has a share of the capacity.
    pub network: String,
    /// Its content, cut to [`OperatorMail::MAX_CONTENT_BYTES`].
    pub content: Vec<u8>,
}

impl OperatorMail {
    /// Maximum stored bytes of one message.
    pub const MAX_CONTENT_BYTES: usize = 1024 * 1024;
}

/// List form of a message for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorMailItem {
    /// Id of the message.
    pub mail_id: Uuid,
    /// Time of receipt.
    pub received_at: OffsetDateTime,
    /// Envelope sender; `None` for the null sender.
    pub envelope_from: Option<EmailAddress>,
    /// Envelope recipient.
    pub recipient: EmailAddress,
    /// Subject, cut to 200 characters.
    pub subject: Option<String>,
    /// Full size in bytes, even if fewer are stored.
    pub size: u64,
}
