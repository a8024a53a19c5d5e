//! Recipient lookup at RCPT.

use inboxd_mail::EmailAddress;

use super::NotReceived;
use crate::app::{App, reports};
use crate::model::OutgoingId;
use crate::ports::{Destination, RecipientRoute};

/// Accepted recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    /// The address as the client wrote it.
    pub address: EmailAddress,
    /// The target.
    pub place: Place,
}

/// Target of a recipient address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// An inbox. The unit of work that stores the mail checks again that it exists.
    Inbox(Destination),
    /// The return path of a sent mail.
    ReturnPath(OutgoingId),
    /// The operator, because no inbox has the address.
    Operator,
}

/// Returns the target of an address, if the service accepts mail for it.
///
/// # Errors
/// [`NotReceived::UnknownRecipient`], [`NotReceived::Deferred`], [`NotReceived::MailboxFull`], [`NotReceived::NoSpace`],
/// [`NotReceived::Store`].
pub async fn recipient(app: &App, address: &EmailAddress) -> Result<Recipient, NotReceived> {
    let is_postmaster = app.settings.is_postmaster(address);
    let target = target_of(app, address);
    let place = match reports::returned_mail(app, address).await? {
        Some(outgoing_id) => Place::ReturnPath(outgoing_id),
        None => match app.waiting.recipients.route(app, target).await? {
            Some(RecipientRoute { hold: Some(hold), .. }) => {
                return Err(NotReceived::Deferred { address: address.clone(), hold });
            }
            Some(_) if !app.capacity.has_space() => return Err(NotReceived::NoSpace),
            Some(route) if !app.capacity.may_receive(route.destination.organization_id) => {
                return Err(NotReceived::MailboxFull(address.clone()));
            }
            Some(route) => Place::Inbox(route.destination),
            None if is_postmaster && app.capacity.has_space() => Place::Operator,
            None if is_postmaster => return Err(NotReceived::NoSpace),
            None => return Err(NotReceived::UnknownRecipient(address.clone())),
        },
    };
    Ok(Recipient { address: address.clone(), place })
}

/// Returns the address of the inbox for an address: mail to the postmaster goes to the inbox that the operator chose.
pub(in crate::app) fn target_of<'a>(app: &'a App, address: &'a EmailAddress) -> &'a EmailAddress {
    app.settings.postmaster.as_ref().filter(|_| app.settings.is_postmaster(address)).unwrap_or(address)
}
