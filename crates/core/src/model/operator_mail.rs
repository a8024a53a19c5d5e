//! Mail for the operator: to `postmaster@` and `abuse@` of the service where no inbox receives it.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

/// A message that is held for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorMail {
    /// What it is and where it came from.
    pub item: OperatorMailItem,
    /// Its digest: a message that is sent again is held once.
    pub digest: [u8; 32],
    /// The network of the client, which has a share of the room.
    pub network: String,
    /// Its content, cut to [`OperatorMail::MAX_CONTENT_BYTES`].
    pub content: Vec<u8>,
}

impl OperatorMail {
    /// How many bytes of each message are held.
    pub const MAX_CONTENT_BYTES: usize = 1024 * 1024;
}

/// What a list shows of a message for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorMailItem {
    /// Its id.
    pub mail_id: Uuid,
    /// When it was received.
    pub received_at: OffsetDateTime,
    /// Its sender; `None` where the sender is null.
    pub envelope_from: Option<EmailAddress>,
    /// The address that it was sent to.
    pub recipient: EmailAddress,
    /// Its subject, cut to 200 characters.
    pub subject: Option<String>,
    /// How many bytes it had, also where fewer are held.
    pub size: u64,
}
