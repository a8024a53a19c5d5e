//! Whether the mail of an address comes here: the one question behind sending inside, signing up, inviting and signing in.

use inboxd_mail::EmailAddress;

use super::App;
use crate::Error;
use crate::model::{DomainName, Inbox, Locality};
use crate::ports::{RecipientRoute, StoreError};

/// Where the mail of each address goes.
pub(super) async fn of(app: &App, addresses: &[EmailAddress]) -> Result<Vec<Locality>, StoreError> {
    let others: Vec<EmailAddress> = addresses.iter().filter(|address| !is_own(app, address)).cloned().collect();
    let found = if others.is_empty() { Vec::new() } else { app.store.custom_homes(&others).await? };
    let mut found = found.into_iter();
    let home = |address| if is_own(app, address) { Locality::Local } else { found.next().unwrap_or(Locality::Remote) };
    Ok(addresses.iter().map(home).collect())
}

/// Where the mail of one address goes.
pub(super) async fn of_one(app: &App, address: &EmailAddress) -> Result<Locality, StoreError> {
    let homes = of(app, std::slice::from_ref(address)).await?;
    Ok(homes.first().copied().unwrap_or(Locality::Remote))
}

/// Whether each address is that of a live inbox, wherever DNS says that its domain's mail goes. A catch-all does not count:
/// it takes mail only where DNS leads it here, which [`of`] knows.
pub(super) async fn are_inboxes(app: &App, addresses: &[EmailAddress]) -> Result<Vec<bool>, StoreError> {
    let found = app.store.destinations(addresses).await?;
    let is_own = |(address, found): (&EmailAddress, Option<RecipientRoute>)| {
        found.is_some_and(|found| {
            [address.normalized(), address.without_tag()].iter().any(|own| own == found.destination.inbox_id.as_str())
        })
    };
    Ok(addresses.iter().zip(found).map(is_own).collect())
}

/// Refuses an inbox whose domain has become another organization's: it can no longer speak for that name. On the
/// service's own domains nothing has to be asked.
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

/// The mailbox of a person, as far as can be told without asking: an agent could read the codes that are mailed to an
/// inbox of its own, and be that person. [`refuse_ours`] asks about the rest.
pub(super) fn persons(app: &App, text: &str) -> Result<EmailAddress, String> {
    let address: EmailAddress = text.trim().parse().map_err(|error| format!("{error}"))?;
    if is_own(app, &address) { Err(OURS.to_owned()) } else { Ok(address) }
}

/// Refuses a mailbox whose mail comes here.
pub(super) async fn refuse_ours(app: &App, field: &str, address: &EmailAddress) -> Result<(), Error> {
    if of_one(app, address).await?.is_ours() { Err(Error::invalid(field, OURS)) } else { Ok(()) }
}

const OURS: &str = "must be a mailbox outside this service: mail to this address is read here, by whoever has a key";

fn is_own(app: &App, address: &EmailAddress) -> bool {
    app.settings.hosted_domains().contains(&address.domain().as_str())
}
