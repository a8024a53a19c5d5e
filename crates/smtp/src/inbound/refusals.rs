//! Refusals of mail that its recipients may see.

use inboxd_core::app::Place;
use inboxd_core::model::{RefusedMail, SmtpStage};
use inboxd_mail::EmailAddress;

use super::reply::Reply;
use super::state::{ServerContext, SessionState};

/// Notes the refusal of a recipient in the current transaction, unless the service does not know it.
pub(super) fn note_recipient(state: &SessionState, server: &ServerContext, recipient: &EmailAddress, reply: &Reply) {
    if matches!(reply, Reply::UnknownRecipient { .. }) {
        return;
    }
    let from = state.transaction.as_ref().and_then(|transaction| transaction.from.as_ref());
    note(state, server, &Refused { from, recipient, stage: SmtpStage::Recipient }, reply);
}

/// Envelope of a mail with its accepted recipients that are inboxes.
pub(super) struct Envelope {
    from: Option<EmailAddress>,
    recipients: Vec<EmailAddress>,
}

impl Envelope {
    /// Returns the envelope of the current transaction.
    pub(super) fn of(state: &SessionState) -> Option<Self> {
        let transaction = state.transaction.as_ref()?;
        let inboxes = transaction.recipients.iter().filter(|recipient| matches!(recipient.place, Place::Inbox(_)));
        let recipients = inboxes.map(|recipient| recipient.address.clone()).collect();
        Some(Self { from: transaction.from.clone(), recipients })
    }

    /// Notes the refusal of the content for all recipients.
    pub(super) fn note_content(&self, state: &SessionState, server: &ServerContext, reply: &Reply) {
        for recipient in &self.recipients {
            note(state, server, &Refused { from: self.from.as_ref(), recipient, stage: SmtpStage::Content }, reply);
        }
    }
}

/// Refused step of a mail for a recipient.
struct Refused<'a> {
    from: Option<&'a EmailAddress>,
    recipient: &'a EmailAddress,
    stage: SmtpStage,
}

fn note(state: &SessionState, server: &ServerContext, refused: &Refused<'_>, reply: &Reply) {
    let (code, status, text) = reply.parts();
    server.handler.note_refusal(RefusedMail {
        client: state.client_ip,
        helo: state.identity.as_ref().map(|identity| identity.client.clone()).unwrap_or_default(),
        envelope_from: refused.from.cloned(),
        recipient: refused.recipient.clone(),
        stage: refused.stage,
        code,
        status,
        reply: text.into_owned(),
    });
}
