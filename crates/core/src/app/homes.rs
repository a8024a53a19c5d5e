//! Local or remote routing of addresses, for sending, sign-up, invitations and sign-in.

use inboxd_mail::EmailAddress;

use super::App;
use crate::Error;
use crate::model::{DomainName, Inbox, Locality};
use crate::ports::{RecipientRoute, StoreError};

/// Returns the locality of each address.
pub(super) async fn of(app: &App, addresses: &[EmailAddress]) -> Result<Vec<Locality>, StoreError> {
    let outside = outside(app, addresses);
    let found = if outside.is_empty() { Vec::new() } else { app.store.custom_homes(&outside).await? };
    Ok(with_own(app, addresses, found))
}

/// Returns the addresses outside the domains of the service.
pub(super) fn outside(app: &App, addresses: &[EmailAddress]) -> Vec<EmailAddress> {
    addresses.iter().filter(|address| !is_own(app, address)).cloned().collect()
}

/// Returns the locality of each address. `found` has those of the [`outside`] ones, in their order.
pub(super) fn with_own(app: &App, addresses: &[EmailAddress], found: Vec<Locality>) -> Vec<Locality> {
    let mut found = found.into_iter();
    let home = |address| if is_own(app, address) { Locality::Local } else { found.next().unwrap_or(Locality::Remote) };
    addresses.iter().map(home).collect()
}

/// Returns the locality of one address.
pub(super) async fn of_one(app: &App, address: &EmailAddress) -> Result<Locality, StoreError> {
    let homes = of(app, std::slice::from_ref(address)).await?;
    Ok(homes.first().copied().unwrap_or(Locality::Remote))
}

/// Returns for each address whether it belongs to a live inbox, independent of the MX records of its domain. A
/// catch-all does not count: it receives mail only where the MX records point here, which [`of`] evaluates.
pub(super) async fn are_inboxes(app: &App, addresses: &[EmailAddress]) -> Result<Vec<bool>, StoreError> {
    let found = app.store.destinations(addresses).await?;
    let is_own = |(address, found): (&EmailAddress, Option<RecipientRoute>)| {
        found.is_some_and(|found| {
            [address.normalized(), address.without_tag()].iter().any(|own| own == found.destination.inbox_id.as_str())
        })
    };
    Ok(addresses.iter().zip(found).map(is_own).collect())
}

/// Refuses an inbox whose domain now belongs to another organization: the inbox can no longer send from that name.
/// Inboxes of the service domains need no query.
pub(super) async fn refuse_lost(app: &App, inbox: &Inbox) -> Result<(), Error> {
    let is_lost = match inbox.mailbox().map(|mailbox| mailbox.address) {
        Some(address) if !is_own(app, &address) => {
            let names = DomainName::stored(address.domain()).with_parents();
            app.store.is_name_lost(inbox.organization_id, &names).await?
        }
        _ => false,
    };
    if is_lost { Err(Error::DomainLost { inbox_id: inbox.inbox_id.clone() }) } else { Ok(()) }
}

/// Parses the mailbox of a person and refuses addresses of the service domains. With such an address an agent could
/// read the codes mailed to its own inbox and act as that person. [`refuse_ours`] checks custom domains.
pub(super) fn persons(app: &App, text: &str) -> Result<EmailAddress, String> {
    let address: EmailAddress = text.trim().parse().map_err(|error| format!("{error}"))?;
    if is_own(app, &address) { Err(OURS.to_owned()) } else { Ok(address) }
}

/// Refuses a mailbox with local delivery.
pub(super) async fn refuse_ours(app: &App, field: &str, address: &EmailAddress) -> Result<(), Error> {
    if of_one(app, address).await?.is_ours() { Err(Error::invalid(field, OURS)) } else { Ok(()) }
}

const OURS: &str = "must be a mailbox outside this service: mail to this address is read here, by whoever has a key";

fn is_own(app: &App, address: &EmailAddress) -> bool {
    app.settings.hosted_domains().contains(&address.domain().as_str())
}
