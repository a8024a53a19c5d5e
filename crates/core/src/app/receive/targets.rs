//! Targets of the recipients of a mail.

use std::collections::BTreeMap;

use inboxd_mail::EmailAddress;

use super::{NotReceived, Place, Recipient};
use crate::app::App;
use crate::model::mail_report::ReportKind;
use crate::model::{InboxId, OutgoingId};
use crate::ports::Destination;

/// Targets of the recipients of a mail.
pub(super) struct MailTargets {
    /// Inboxes in lock order without duplicates, each with the address that resolved to it.
    pub(super) inboxes: BTreeMap<InboxId, (Destination, EmailAddress)>,
    /// Sent mails with the return paths among the recipients.
    pub(super) outgoing: Vec<OutgoingId>,
    /// The first address of the operator.
    pub(super) operator: Option<EmailAddress>,
    /// The first address of aggregate reports, with their kind.
    pub(super) reports: Option<(ReportKind, EmailAddress)>,
}

impl MailTargets {
    /// Sorts recipients by their target.
    pub(super) fn of(recipients: &[Recipient]) -> Self {
        let mut targets = Self { inboxes: BTreeMap::new(), outgoing: Vec::new(), operator: None, reports: None };
        for Recipient { address, place } in recipients {
            match place {
                Place::Inbox(destination) => {
                    let found = || (destination.clone(), address.clone());
                    targets.inboxes.entry(destination.inbox_id.clone()).or_insert_with(found);
                }
                Place::ReturnPath(outgoing_id) => targets.outgoing.push(*outgoing_id),
                Place::Operator => {
                    targets.operator.get_or_insert_with(|| address.clone());
                }
                Place::Reports(kind) => {
                    targets.reports.get_or_insert_with(|| (*kind, address.clone()));
                }
            }
        }
        targets
    }

    /// Checks that the disk and the organizations have capacity. An organization may have reached its limit after RCPT.
    pub(super) fn require_capacity(&self, app: &App) -> Result<(), NotReceived> {
        let is_stored = !self.inboxes.is_empty() || self.operator.is_some() || self.reports.is_some();
        if is_stored && !app.capacity.has_space() {
            return Err(NotReceived::NoSpace);
        }
        let is_full = |(place, _): &&(Destination, EmailAddress)| !app.capacity.may_receive(place.organization_id);
        match self.inboxes.values().find(is_full) {
            Some((_, address)) => Err(NotReceived::MailboxFull(address.clone())),
            None => Ok(()),
        }
    }
}
