//! The mail that carries a verification code.

use inboxd_mail::{Composition, EmailAddress, Mailbox, compose};
use time::OffsetDateTime;

use crate::Error;
use crate::app::App;
use crate::model::{MessageId, Organization, Outgoing, OutgoingId, RawMail, Route, VerificationCode};

/// A fresh code for an organization, and the mail that brings it to the owner.
pub(super) fn fresh(
    app: &App,
    organization: &Organization,
    now: OffsetDateTime,
) -> Result<(VerificationCode, Outgoing), Error> {
    let digits = six_digits(app);
    let code = VerificationCode {
        organization_id: organization.organization_id,
        code_hash: app.settings.signing_key.code_hash(organization.organization_id, &digits),
        expires_at: now + VerificationCode::LIFETIME,
        attempts: 0,
    };
    let text = format!(
        "Your verification code is {digits}\n\n\
         An agent signed up with your address. Give it this code, or call POST /v0/agent/verify with it; until then the \
         agent can write to you only. The code works for 24 hours.\n\n\
         If you know nothing of this, ignore this mail.\n"
    );
    Ok((code, system_mail(app, organization, "Your verification code", text, now)?))
}

/// Six decimal digits. Of 2^64 values a remainder favours some codes by less than one part in 10^13.
fn six_digits(app: &App) -> String {
    let mut octets = [0; 8];
    app.random.fill(&mut octets);
    format!("{:06}", u64::from_be_bytes(octets) % 1_000_000)
}

fn system_mail(
    app: &App,
    organization: &Organization,
    subject: &str,
    text: String,
    now: OffsetDateTime,
) -> Result<Outgoing, Error> {
    let domain = &app.settings.domain;
    let sender: EmailAddress = format!("no-reply@{domain}")
        .parse()
        .map_err(|error| Error::Internal(format!("INBOXD_DOMAIN makes no address: {error}")))?;
    let outgoing_id: OutgoingId = app.mint(now);
    let mail = compose(&Composition {
        from: Mailbox { name: Some("inboxd".to_owned()), address: sender.clone() },
        reply_to: Vec::new(),
        to: vec![Mailbox { name: None, address: organization.owner_email.clone() }],
        cc: Vec::new(),
        subject: Some(subject.to_owned()),
        text: Some(text),
        html: None,
        attachments: Vec::new(),
        headers: Vec::new(),
        message_id: MessageId::minted(outgoing_id.0, domain).as_str().to_owned(),
        in_reply_to: None,
        references: Vec::new(),
        date: now.unix_timestamp(),
        auto_submitted: true,
    })?;
    let sealed = app.vault.seal(outgoing_id.0.as_bytes(), &mail).map_err(|error| Error::Internal(error.to_string()))?;
    let owner = organization.owner_email.clone();
    let is_local = app.settings.hosted_domains().contains(&owner.domain().as_str());
    Ok(Outgoing {
        outgoing_id,
        organization_id: organization.organization_id,
        message: None,
        route: if is_local { Route::Local } else { Route::Remote },
        envelope_from: sender,
        recipients: vec![owner],
        raw: RawMail::Sealed(sealed),
        attempts: 0,
        created_at: now,
        due_at: now,
    })
}
