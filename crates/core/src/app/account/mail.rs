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
    let domain = &app.settings.domain;
    let sender: EmailAddress = format!("no-reply@{domain}")
        .parse()
        .map_err(|error| Error::Internal(format!("INBOXD_DOMAIN makes no address: {error}")))?;
    let outgoing_id: OutgoingId = app.mint(now);
    let mail = compose(&Composition {
        from: Mailbox { name: Some(SERVICE_NAME.to_owned()), address: sender },
        reply_to: Vec::new(),
        to: vec![Mailbox { name: None, address: to.clone() }],
        cc: Vec::new(),
        subject: Some(subject.to_owned()),
        text: Some(text),
        html: None,
        calendar: None,
        attachments: Vec::new(),
        headers: Vec::new(),
        message_id: MessageId::minted(outgoing_id.0, domain).as_str().to_owned(),
        in_reply_to: None,
        references: Vec::new(),
        date: now.unix_timestamp(),
        auto_submitted: true,
    })?;
    let sealed = app.vault.seal(outgoing_id.0.as_bytes(), &mail).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(QueuedMail {
        outgoing_id,
        organization_id,
        message: None,
        route,
        destination: app.settings.destination_of(route, to),
        envelope_from: reports::return_path(app, outgoing_id, domain)?,
        recipients: vec![to.clone()],
        raw: RawMail::Sealed(sealed),
        attempts: 0,
        claim_id: None,
        is_delay_told: false,
        is_code: true,
        created_at: now,
        due_at: now,
    })
}
