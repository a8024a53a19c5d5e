//! Whom mail is for: asked once, when the recipient is named.

use inboxd_mail::EmailAddress;

use super::NotReceived;
use crate::app::gathering::{Gathering, Most};
use crate::app::{App, reports};
use crate::model::OutgoingId;
use crate::ports::{Destination, StoreError};

/// How many questions are under way at most.
const LANES: usize = 2;

/// How many addresses are asked for at once.
const MOST: Most = Most { jobs: 100, weight: usize::MAX };

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
}

/// Asks where addresses lead. Those who ask at the same time share one question, which begins after all of them have come:
/// it is as fresh as one of their own.
pub(in crate::app) struct Directory(Gathering<EmailAddress, Result<Option<Destination>, StoreError>>);

impl Default for Directory {
    fn default() -> Self {
        Self(Gathering::new(LANES, MOST))
    }
}

impl Directory {
    async fn destination(&self, app: &App, address: &EmailAddress) -> Result<Option<Destination>, StoreError> {
        let answer = self.0.ask(address, address.clone(), 1, |addresses| destinations(app, addresses)).await;
        match answer {
            Ok(answer) => answer,
            // Whoever asked for others as well has gone.
            Err(_) => destinations(app, vec![address.clone()]).await.pop().unwrap_or(Ok(None)),
        }
    }
}

async fn destinations(app: &App, addresses: Vec<EmailAddress>) -> Vec<Result<Option<Destination>, StoreError>> {
    match app.store.destinations(&addresses).await {
        Ok(found) => found.into_iter().map(Ok).collect(),
        Err(error) => addresses.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// Where mail for an address goes, if it is taken here.
///
/// # Errors
/// [`NotReceived::UnknownRecipient`], [`NotReceived::Store`].
pub async fn recipient(app: &App, address: &EmailAddress) -> Result<Recipient, NotReceived> {
    let place = match reports::returned_mail(app, address).await? {
        Some(outgoing_id) => Place::ReturnPath(outgoing_id),
        None => match app.waiting.directory.destination(app, address).await? {
            Some(destination) => Place::Inbox(destination),
            None => return Err(NotReceived::UnknownRecipient(address.clone())),
        },
    };
    Ok(Recipient { address: address.clone(), place })
}
