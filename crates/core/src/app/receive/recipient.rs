//! Recipient lookup at RCPT.

use inboxd_mail::EmailAddress;

use super::NotReceived;
use crate::app::{App, reports};
use crate::model::mail_report::ReportKind;
use crate::model::{InboxId, OutgoingId};
use crate::ports::{Destination, RecipientRoute, StoreError};

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
    /// The aggregate reports of this kind, because no inbox has the address.
    Reports(ReportKind),
}

/// Returns the target of an address, if the service accepts mail for it.
///
/// # Errors
/// [`NotReceived::UnknownRecipient`], [`NotReceived::Deferred`], [`NotReceived::MailboxFull`], [`NotReceived::NoSpace`],
/// [`NotReceived::Store`].
pub async fn recipient(app: &App, address: &EmailAddress) -> Result<Recipient, NotReceived> {
    let operator = operator_place(app, address);
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
            None if operator.is_some() && !app.capacity.has_space() => return Err(NotReceived::NoSpace),
            None => operator.ok_or_else(|| NotReceived::UnknownRecipient(address.clone()))?,
        },
    };
    Ok(Recipient { address: address.clone(), place })
}

/// Returns the target of an address of the operator without an inbox.
fn operator_place(app: &App, address: &EmailAddress) -> Option<Place> {
    if app.settings.is_postmaster(address) {
        return Some(Place::Operator);
    }
    app.settings.report_kind(address).map(Place::Reports)
}

/// Returns the inbox that the operator chose for the postmaster, with an address whose mail it gets; `None` if the operator
/// chose none or it cannot receive now.
pub(super) async fn postmaster_inbox(
    app: &App,
    address: &EmailAddress,
) -> Result<Option<(InboxId, (Destination, EmailAddress))>, StoreError> {
    let Some(target) = &app.settings.postmaster else { return Ok(None) };
    let route = app.waiting.recipients.route(app, target).await?;
    let open =
        route.filter(|route| route.hold.is_none() && app.capacity.may_receive(route.destination.organization_id));
    Ok(open.map(|RecipientRoute { destination, .. }| (destination.inbox_id.clone(), (destination, address.clone()))))
}

/// Returns the address of the inbox for an address: mail to the postmaster goes to the inbox that the operator chose.
pub(in crate::app) fn target_of<'a>(app: &'a App, address: &'a EmailAddress) -> &'a EmailAddress {
    app.settings.postmaster.as_ref().filter(|_| app.settings.is_postmaster(address)).unwrap_or(address)
}
