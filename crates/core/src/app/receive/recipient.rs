//! Whom mail is for: asked once, when the recipient is named.

use inboxd_mail::EmailAddress;

use super::NotReceived;
use crate::app::{App, reports};
use crate::model::OutgoingId;
use crate::ports::{Destination, RecipientRoute};

/// Somebody for whom mail is taken here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    /// The address, as it was written.
    pub address: EmailAddress,
    /// Where it leads.
    pub place: Place,
}

/// Where an address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Into an inbox. Whether it is still there is asked when mail is stored in it.
    Inbox(Destination),
    /// To the return path of a mail that left.
    ReturnPath(OutgoingId),
    /// To the operator: no inbox receives it.
    Operator,
}

/// Where mail for an address goes, if it is taken here.
///
/// # Errors
/// [`NotReceived::UnknownRecipient`], [`NotReceived::Deferred`], [`NotReceived::MailboxFull`], [`NotReceived::NoSpace`],
/// [`NotReceived::Store`].
pub async fn recipient(app: &App, address: &EmailAddress) -> Result<Recipient, NotReceived> {
    let is_postmaster = app.settings.is_postmaster(address);
    let target = app.settings.postmaster.as_ref().filter(|_| is_postmaster).unwrap_or(address);
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
