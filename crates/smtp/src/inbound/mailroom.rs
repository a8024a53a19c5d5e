//! What the server needs of the application.

use std::net::IpAddr;

use async_trait::async_trait;
use inboxd_core::app::Recipient;
use inboxd_mail::EmailAddress;

/// Takes mail for the addresses that live here.
#[async_trait]
pub trait Mailroom: Send + Sync {
    /// Whether mail for this address is taken here.
    async fn recipient(&self, address: &EmailAddress) -> RecipientAnswer;

    /// Stores a mail for all of its recipients, in one transaction. After [`ReceiveAnswer::Stored`] it is durable and
    /// visible; after anything else nothing has happened.
    ///
    /// It runs in a task of its own: a client that hangs up does not cancel it.
    async fn receive(&self, mail: IncomingMail) -> ReceiveAnswer;
}

/// A mail that arrived in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingMail {
    /// The return path; `None` for the null sender of reports (`MAIL FROM:<>`).
    pub envelope_from: Option<EmailAddress>,
    /// Whom it is for, in the order they were named, each once.
    pub recipients: Vec<Recipient>,
    /// The content as it was sent, without dot-stuffing. Its lines end with CRLF, and CR and LF stand nowhere else.
    pub raw: Vec<u8>,
    /// Where it came from.
    pub client_ip: IpAddr,
    /// What the client called itself in EHLO or HELO.
    pub helo: String,
    /// How it came, as the `Received` field names it (RFC 3848, RFC 6531 section 4.3): `SMTP`, `ESMTP`, `ESMTPS`,
    /// `UTF8SMTP` or `UTF8SMTPS`.
    pub protocol: &'static str,
}

/// Whether mail for an address is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipientAnswer {
    /// It is: the mail is handed over with what was found.
    Accepted(Recipient),
    /// No such address lives here.
    Unknown,
    /// Its mailbox stores too much; the client shall try again.
    Full,
    /// There is no disk space; the client shall try again.
    NoSpace,
    /// Such an address lives here, and takes no mail at the moment.
    Deferred {
        /// Why, for whoever reads the log of the client.
        text: String,
    },
    /// It cannot be told at the moment; the client shall try again.
    Busy,
}

/// What became of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceiveAnswer {
    /// It is stored, for every recipient.
    Stored,
    /// It is not taken as it is.
    Refused {
        /// Why, for the client program.
        code: Refusal,
        /// Why, and what would help, for whoever reads the bounce. One line of ASCII.
        text: String,
    },
    /// It could not be stored at the moment; the client shall try again.
    Busy,
}

/// Why a mail is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No recipient lives here any more.
    NoSuchRecipient,
    /// One of its recipients lives here no longer: sent again, it is refused for that one alone.
    OneIsGone,
    /// One of its recipients takes no mail at the moment.
    Deferred,
    /// The mailbox has no room.
    MailboxFull,
    /// There is no disk space at the moment.
    NoSpace,
    /// It has gone round in a circle.
    Loop,
    /// It is too large.
    TooLarge,
    /// It is not mail.
    Malformed,
    /// It is not wanted.
    Policy,
}
