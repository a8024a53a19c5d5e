//! Counts of the messages that contacts exchange with inboxes.

use std::collections::BTreeSet;

use inboxd_mail::{EmailAddress, ParsedMail};
use time::OffsetDateTime;

use crate::app::App;
use crate::model::{ContactChange, ContactKey, Event, InboxId, OrganizationId};
use crate::rules::lists::MAX_SENDERS;

/// Maximum characters of a stored display name.
const MAX_NAME_CHARS: usize = 100;

/// Returns the contact of an inbox that wrote a mail; `None` without a single author, and for the inbox itself.
pub(in crate::app) fn key_of_sender(
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    mail: &ParsedMail,
) -> Option<ContactKey> {
    let [author] = mail.from.as_slice() else { return None };
    let address = author.address.parse::<EmailAddress>().ok()?.normalized();
    let is_other = address != inbox_id.as_str();
    is_other.then(|| ContactKey { organization_id, inbox_id: inbox_id.clone(), address })
}

/// Returns the contacts of an inbox in whose name a mail comes: each author, the Sender field and the return path. A
/// block applies to each of them, as a block list does.
pub(in crate::app) fn keys_of_claimed(
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    mail: &ParsedMail,
    envelope_from: Option<&EmailAddress>,
) -> BTreeSet<ContactKey> {
    let written = mail.from.iter().take(MAX_SENDERS).chain(&mail.sender);
    let parsed = written.filter_map(|field| Some(field.address.parse::<EmailAddress>().ok()?.normalized()));
    let all = parsed.chain(envelope_from.map(EmailAddress::normalized));
    let others = all.filter(|address| address != inbox_id.as_str());
    others.map(|address| ContactKey { organization_id, inbox_id: inbox_id.clone(), address }).collect()
}

/// Returns the change of the contact that wrote a mail.
pub(in crate::app) fn of_received(
    key: ContactKey,
    mail: &ParsedMail,
    is_authenticated: bool,
    at: OffsetDateTime,
) -> ContactChange {
    let name = mail.from.first().and_then(|author| author.name.as_deref());
    let name = name.map(|name| name.chars().take(MAX_NAME_CHARS).collect());
    ContactChange::received(key, name, is_authenticated, at)
}

/// Returns the changes of the contacts that receive a mail.
pub(in crate::app) fn of_sent(
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    recipients: &[EmailAddress],
    at: OffsetDateTime,
) -> impl Iterator<Item = ContactChange> {
    let addresses: BTreeSet<String> = recipients.iter().map(EmailAddress::normalized).collect();
    let others = addresses.into_iter().filter(move |address| address != inbox_id.as_str());
    others.map(move |address| {
        ContactChange::sent(ContactKey { organization_id, inbox_id: inbox_id.clone(), address }, at)
    })
}

/// Trims the contacts of inboxes with new mail to their bound, on average once in a tenth of it, because it reads all of them.
/// Without success a later mail trims them.
pub(in crate::app) async fn trim(app: &App, events: &[Event]) {
    let limit = app.settings.limits.get().rows.contacts;
    let interval = u128::from((limit / 10).max(1));
    // The ids end in random bits, which no client chooses.
    let due = events.iter().filter(|event| event.event_id.0.as_u128().is_multiple_of(interval));
    let inboxes: BTreeSet<_> =
        due.filter_map(|event| Some((event.organization_id, event.inbox_id.as_ref()?))).collect();
    for (organization_id, inbox_id) in inboxes {
        let Ok(mut tx) = app.store.begin().await else { return };
        if tx.contacts().trim(organization_id, inbox_id, limit).await.is_err() || tx.commit().await.is_err() {
            return;
        }
    }
}
