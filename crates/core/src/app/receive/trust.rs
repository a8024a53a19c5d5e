//! Trust in an inbound message.

use std::collections::BTreeMap;
use std::sync::Arc;

use inboxd_mail::normalized_address;

use super::arriving::Arriving;
use crate::model::{Contact, InboxId, OrganizationId};
use crate::ports::Destination;
use crate::rules::trust::{Evidence, History, Judgement, KnownIdentities, SenderAddress, judge};

/// Maximum number of stored reasons. A list reads them with each of its messages.
pub(super) const MAX_REASONS: usize = 24;

/// Contacts that the senders of a batch are, by organization and address, then by inbox.
#[derive(Default)]
pub(super) struct SenderContacts(BTreeMap<(OrganizationId, String), BTreeMap<InboxId, Contact>>);

impl SenderContacts {
    /// Groups contacts; the same one may occur several times.
    pub(super) fn of(found: Vec<Contact>) -> Self {
        let mut contacts = Self::default();
        for contact in found {
            let sender = contacts.0.entry((contact.organization_id, contact.address.clone())).or_default();
            sender.insert(contact.inbox_id.clone(), contact);
        }
        contacts
    }

    /// Returns the contacts of an address by inbox.
    pub(super) fn of_address(
        &self,
        organization_id: OrganizationId,
        address: &str,
    ) -> Option<&BTreeMap<InboxId, Contact>> {
        self.0.get(&(organization_id, address.to_owned()))
    }
}

/// Earlier mail of the sender of a message.
#[derive(Clone, Copy)]
pub(super) struct SenderRecord<'a> {
    /// Contacts that the sender is, by inbox.
    pub(super) contacts: Option<&'a BTreeMap<InboxId, Contact>>,
    /// Messages that the inbox received earlier in the same batch.
    pub(super) in_batch: u32,
}

/// Judges a message for one of its inboxes.
pub(super) fn judged(
    mail: &Arriving,
    inbox: &Destination,
    sender: SenderRecord<'_>,
    known: Option<&Arc<KnownIdentities>>,
) -> Judgement {
    let contact = sender.contacts.and_then(|contacts| contacts.get(&inbox.inbox_id));
    let from = mail.parsed.from.first();
    let from = from.map(|from| SenderAddress { name: from.name.clone(), address: normalized_address(&from.address) });
    let is_local = mail.mail.client.is_none();
    let is_itself =
        is_local && from.as_ref().is_some_and(|from| from.address.eq_ignore_ascii_case(inbox.inbox_id.as_str()));
    let start = History { received: sender.in_batch.into(), sent: u64::from(is_itself), ..History::default() };
    let mut judgement = judge(&Evidence {
        from,
        reply_to: mail.parsed.reply_to.iter().map(|to| normalized_address(&to.address)).collect(),
        authentication: mail.findings.authentication.clone(),
        is_local,
        inbox: history(start, contact.into_iter()),
        organization: history(start, sender.contacts.into_iter().flat_map(BTreeMap::values)),
        pod_id: Some(inbox.pod_id),
        decision: contact.and_then(|contact| contact.decision),
        known: known.cloned().unwrap_or_default(),
        findings: mail.parsed.safety.clone(),
        scanner: mail.findings.scanner.clone(),
    });
    judgement.reasons.truncate(MAX_REASONS);
    judgement
}

fn history<'a>(start: History, contacts: impl Iterator<Item = &'a Contact>) -> History {
    contacts.fold(start, |sum, contact| History {
        received: sum.received + contact.received_count,
        sent: sum.sent + contact.sent_count,
        since: Some(sum.since.map_or(contact.created_at, |since| since.min(contact.created_at))),
        was_authenticated: sum.was_authenticated || contact.authenticated_count > 0,
    })
}
