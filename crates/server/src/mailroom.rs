//! Received mail, from the SMTP session to the use case.

use std::net::IpAddr;

use async_trait::async_trait;
use inboxd_core::app::{self, App, Fate, NotReceived, Returned};
use inboxd_core::model::outgoing::SentMessage;
use inboxd_mail::EmailAddress;
use inboxd_smtp::inbound::{IncomingMail, Mailroom, ReceiveAnswer, RecipientAnswer, Refusal};

/// Takes in mail for the inboxes of this service.
pub(crate) struct Inboxes(pub(crate) App);

#[async_trait]
impl Mailroom for Inboxes {
    async fn recipient(&self, address: &EmailAddress) -> RecipientAnswer {
        match app::recipient(&self.0, address).await {
            Ok(recipient) => RecipientAnswer::Accepted(recipient),
            Err(NotReceived::Store(error)) => {
                tracing::error!(%error, "a recipient could not be looked up");
                RecipientAnswer::Busy
            }
            Err(NotReceived::MailboxFull(_)) => RecipientAnswer::Full,
            Err(NotReceived::NoSpace) => RecipientAnswer::NoSpace,
            Err(deferred @ NotReceived::Deferred { .. }) => RecipientAnswer::Deferred { text: deferred.to_string() },
            Err(_) => RecipientAnswer::Unknown,
        }
    }

    async fn receive(&self, mail: IncomingMail) -> ReceiveAnswer {
        let (size, client) = (mail.raw.len(), mail.client_ip);
        let incoming = app::IncomingMail {
            envelope_from: mail.envelope_from,
            recipients: mail.recipients,
            raw: mail.raw,
            client: Some(app::Client { ip: mail.client_ip, helo: mail.helo, protocol: mail.protocol }),
        };
        match app::receive(&self.0, incoming).await {
            Ok(arrived) => {
                for (inbox_id, message_id) in &arrived.messages {
                    tracing::info!(%client, %inbox_id, %message_id, size, "mail received");
                }
                for returned in &arrived.returned {
                    log_returned(returned, client, size);
                }
                if arrived.is_held {
                    tracing::info!(%client, size, "mail held for operator");
                } else if arrived.messages.is_empty() && arrived.returned.is_empty() {
                    tracing::info!(%client, size, "mail received again");
                }
                ReceiveAnswer::Stored
            }
            Err(NotReceived::Store(error)) => {
                tracing::error!(%error, size, "a mail could not be stored; its sender is asked to try again");
                ReceiveAnswer::Busy
            }
            Err(refusal) => {
                tracing::info!(%refusal, size, "mail refused");
                ReceiveAnswer::Refused { code: kind(&refusal), text: refusal.to_string() }
            }
        }
    }
}

/// What nobody can read may be a bounce in a shape that is not known: whoever looks for it finds the mail that it is about.
fn log_returned(returned: &Returned, client: IpAddr, size: usize) {
    let Returned { outgoing_id, of, fate } = returned;
    match of {
        Some((organization_id, message)) if *fate == Fate::NotUnderstood => {
            let SentMessage { inbox_id, message_id, .. } = message;
            tracing::warn!(
                %client, %outgoing_id, %organization_id, %inbox_id, %message_id, size,
                "mail to a return path was not understood, and is dropped"
            );
        }
        _ => tracing::info!(%client, %outgoing_id, ?fate, size, "mail to a return path taken"),
    }
}

fn kind(refusal: &NotReceived) -> Refusal {
    match refusal {
        NotReceived::UnknownRecipient(_) => Refusal::NoSuchRecipient,
        NotReceived::OneIsGone(_) => Refusal::OneIsGone,
        NotReceived::Deferred { .. } => Refusal::Deferred,
        NotReceived::Loop(_) => Refusal::Loop,
        NotReceived::NoReport => Refusal::Policy,
        NotReceived::TooLarge(_) => Refusal::TooLarge,
        NotReceived::MailboxFull(_) | NotReceived::NoSpace => Refusal::NoSpace,
        NotReceived::Store(_) => Refusal::Malformed,
    }
}
