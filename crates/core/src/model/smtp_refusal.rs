//! Mail for an inbox that was refused at SMTP.

use std::net::IpAddr;

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::string_enum::string_enum;
use super::{InboxId, OrganizationId, SmtpRefusalId};

string_enum! {
    /// Step of an SMTP session that was refused.
    SmtpStage {
        /// The recipient, in RCPT.
        Recipient = "rcpt",
        /// The content, in DATA or BDAT.
        Content = "data",
    }
}

/// Refusal of a mail for one recipient, as the session knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedMail {
    /// Address of the client.
    pub client: IpAddr,
    /// Name in HELO or EHLO.
    pub helo: String,
    /// The envelope sender; `None` for a report.
    pub envelope_from: Option<EmailAddress>,
    /// The recipient.
    pub recipient: EmailAddress,
    /// The refused step.
    pub stage: SmtpStage,
    /// Reply code.
    pub code: u16,
    /// Enhanced status code.
    pub status: &'static str,
    /// Text of the reply.
    pub reply: String,
}

/// Refusals of mail for an inbox with the same client network, envelope sender and reason within one hour. Strangers chose
/// parts of the texts, which have bounded length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmtpRefusal {
    /// Organization of the inbox.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Id, derived from what the refusals have in common.
    pub refusal_id: SmtpRefusalId,
    /// Address of the client of the first one.
    pub client: String,
    /// Name in HELO or EHLO of the first one.
    pub helo: String,
    /// The envelope sender in normal form; `None` for reports.
    pub envelope_from: Option<String>,
    /// Recipient of the first one.
    pub recipient: String,
    /// The refused step.
    pub stage: SmtpStage,
    /// Reply code.
    pub code: u16,
    /// Enhanced status code.
    pub status: String,
    /// Text of the first reply.
    pub reply: String,
    /// Number of refusals.
    pub count: u64,
    /// Time of the first one.
    pub refused_at: OffsetDateTime,
    /// Time of the last one.
    pub last_refused_at: OffsetDateTime,
}
