//! Trust in an inbound message.

use std::collections::BTreeMap;
use std::sync::Arc;

use inboxd_mail::normalized_address;

use super::arriving::Arriving;
use crate::model::{Contact, ContactKey};
use crate::ports::{Destination, SenderHistory};
use crate::rules::trust::{Evidence, History, Judgement, KnownIdentities, SenderAddress, judge};

/// Maximum number of stored reasons. A list reads them with each of its messages.
pub(super) const MAX_REASONS: usize = 24;

/// Earlier mail of the senders of a batch.
#[derive(Default)]
pub(super) struct SenderHistories(BTreeMap<ContactKey, SenderHistory>);

impl SenderHistories {
    pub(super) fn of(found: Vec<SenderHistory>) -> Self {
        Self(found.into_iter().map(|history| (history.key.clone(), history)).collect())
    }

    /// Returns the earlier mail of a sender to an inbox and to other inboxes of its organization.
    pub(super) fn get(&self, key: &ContactKey) -> Option<&SenderHistory> {
        self.0.get(key)
    }
}

/// Earlier mail of the sender of a message.
#[derive(Clone, Copy)]
pub(super) struct SenderRecord<'a> {
    /// Stored history.
    pub(super) history: Option<&'a SenderHistory>,
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
    let contact = sender.history.and_then(|history| history.contact.as_ref());
    let from = mail.parsed.from.first();
    let from = from.map(|from| SenderAddress { name: from.name.clone(), address: normalized_address(&from.address) });
    let is_local = mail.mail.client.is_none();
    let is_itself =
        is_local && from.as_ref().is_some_and(|from| from.address.eq_ignore_ascii_case(inbox.inbox_id.as_str()));
    let batch = History { received: sender.in_batch.into(), sent: u64::from(is_itself), ..History::default() };
    let in_inbox = batch + contact.map(of_contact).unwrap_or_default();
    let mut judgement = judge(&Evidence {
        from,
        reply_to: mail.parsed.reply_to.iter().map(|to| normalized_address(&to.address)).collect(),
        authentication: mail.findings.authentication.clone(),
        is_local,
        known_name: contact.and_then(|contact| contact.name.clone()),
        inbox: in_inbox,
        organization: in_inbox + sender.history.map(|history| history.elsewhere).unwrap_or_default(),
        pod_id: Some(inbox.pod_id),
        decision: contact.and_then(|contact| contact.decision),
        known: known.cloned().unwrap_or_default(),
        findings: mail.parsed.safety.clone(),
        scanner: mail.findings.scanner.clone(),
    });
    judgement.reasons.truncate(MAX_REASONS);
    judgement
}

fn of_contact(contact: &Contact) -> History {
    History {
        received: contact.received_count,
        sent: contact.sent_count,
        since: Some(contact.created_at),
        was_authenticated: contact.authenticated_count > 0,
    }
}
