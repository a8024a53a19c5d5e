//! Interface of the server to the application.

use std::net::IpAddr;

use async_trait::async_trait;
use inboxd_core::app::Recipient;
use inboxd_mail::EmailAddress;

/// Receiver of messages for local addresses.
#[async_trait]
pub trait Mailroom: Send + Sync {
    /// Looks up a recipient.
    async fn recipient(&self, address: &EmailAddress) -> RecipientAnswer;

    /// Stores a message for all recipients in one transaction. After [`ReceiveAnswer::Stored`] it is durable and
    /// visible; after any other result nothing is stored.
    ///
    /// The call runs in a task of its own, so a disconnected client does not cancel it.
    async fn receive(&self, mail: IncomingMail) -> ReceiveAnswer;
}

/// Completely received message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingMail {
    /// Return path. `None` for the null sender of reports (`MAIL FROM:<>`).
    pub envelope_from: Option<EmailAddress>,
    /// Recipients without duplicates, in the order of RCPT.
    pub recipients: Vec<Recipient>,
    /// Content without dot-stuffing. Lines end with CRLF; CR and LF occur nowhere else.
    pub raw: Vec<u8>,
    /// Address of the client.
    pub client_ip: IpAddr,
    /// Name of the client in EHLO or HELO.
    pub helo: String,
    /// Protocol for the `Received` field (RFC 3848, RFC 6531 section 4.3): `SMTP`, `ESMTP`, `ESMTPS`, `UTF8SMTP` or
    /// `UTF8SMTPS`.
    pub protocol: &'static str,
}

/// Result of a recipient lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipientAnswer {
    /// The address accepts mail. The message carries this recipient.
    Accepted(Recipient),
    /// The address does not exist here.
    Unknown,
    /// The mailbox exceeds its storage limit. The client retries.
    Full,
    /// Disk space is exhausted. The client retries.
    NoSpace,
    /// The address exists and accepts no mail at present.
    Deferred {
        /// Reason for readers of the client log.
        text: String,
    },
    /// The lookup failed temporarily. The client retries.
    Busy,
}

/// Result of storing a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceiveAnswer {
    /// The message is stored for all recipients.
    Stored,
    /// The message is refused.
    Refused {
        /// Reason for the client program.
        code: Refusal,
        /// Cause and remedy for readers of the bounce. One line of ASCII.
        text: String,
    },
    /// The store failed temporarily. The client retries.
    Busy,
}

/// Reason for which a message is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No recipient exists any more.
    NoSuchRecipient,
    /// One recipient no longer exists. A retry refuses that recipient alone.
    OneIsGone,
    /// One recipient accepts no mail at present.
    Deferred,
    /// The mailbox is full.
    MailboxFull,
    /// Disk space is exhausted.
    NoSpace,
    /// The message is in a mail loop.
    Loop,
    /// The message is too large.
    TooLarge,
    /// The message is malformed.
    Malformed,
    /// A policy forbids the message.
    Policy,
}
