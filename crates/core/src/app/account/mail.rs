//! System mail: codes and invitations.
//!
//! System mail counts against no quota and ignores suppressions.

use inboxd_mail::{Composition, EmailAddress, Mailbox, compose};
use time::OffsetDateTime;

use crate::Error;
use crate::app::{App, reports};
use crate::model::{MessageId, OrganizationId, OutgoingId, QueuedMail, RawMail, Route};

/// Display name of the service in its own mail.
pub(in crate::app) const SERVICE_NAME: &str = "inboxd";

/// Plain-text mail of the service itself.
pub(in crate::app) struct ServiceMail<'a> {
    /// Address of the service.
    pub(in crate::app) sender: EmailAddress,
    /// Recipient.
    pub(in crate::app) to: &'a EmailAddress,
    /// Subject.
    pub(in crate::app) subject: &'a str,
    /// Text.
    pub(in crate::app) text: String,
    /// Whether no reply is expected (RFC 3834, section 5).
    pub(in crate::app) is_automatic: bool,
}

impl ServiceMail<'_> {
    /// Returns the content of the mail.
    pub(in crate::app) fn compose(
        self,
        app: &App,
        outgoing_id: OutgoingId,
        now: OffsetDateTime,
    ) -> Result<Vec<u8>, Error> {
        Ok(compose(&Composition {
            from: Mailbox { name: Some(SERVICE_NAME.to_owned()), address: self.sender },
            reply_to: Vec::new(),
            to: vec![Mailbox { name: None, address: self.to.clone() }],
            cc: Vec::new(),
            subject: Some(self.subject.to_owned()),
            text: Some(self.text),
            html: None,
            calendar: None,
            attachments: Vec::new(),
            headers: Vec::new(),
            message_id: MessageId::minted(outgoing_id.0, &app.settings.domain).as_str().to_owned(),
            in_reply_to: None,
            references: Vec::new(),
            date: now.unix_timestamp(),
            auto_submitted: self.is_automatic,
        })?)
    }
}

/// Returns an address at the domain of the service.
pub(in crate::app) fn service_address(app: &App, local_part: &str) -> Result<EmailAddress, Error> {
    let address = format!("{local_part}@{}", app.settings.domain);
    address.parse().map_err(|error| Error::Internal(format!("INBOXD_DOMAIN makes no address: {error}")))
}

/// Returns a system mail for the outgoing queue, where it precedes the mail of tenants as codes do.
pub(crate) fn system_mail(
    app: &App,
    organization_id: OrganizationId,
    to: &EmailAddress,
    route: Route,
    subject: &str,
    text: String,
    now: OffsetDateTime,
) -> Result<QueuedMail, Error> {
    let outgoing_id: OutgoingId = app.mint(now);
    let mail = ServiceMail { sender: service_address(app, "no-reply")?, to, subject, text, is_automatic: true };
    let mail = mail.compose(app, outgoing_id, now)?;
    let sealed = app.vault.seal(outgoing_id.0.as_bytes(), &mail).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(QueuedMail {
        outgoing_id,
        organization_id,
        message: None,
        route,
        destination: app.settings.destination_of(route, to),
        envelope_from: reports::return_path(app, outgoing_id, &app.settings.domain)?,
        recipients: vec![to.clone()],
        raw: RawMail::Sealed(sealed),
        attempts: 0,
        claim_id: None,
        is_delay_told: false,
        is_code: true,
        traceparent: None,
        created_at: now,
        due_at: now,
    })
}
