//! Outgoing delivery: claims queued mail, attempts its delivery, stores the outcomes, and recovers unfinished work.

mod departures;
mod finish;
mod labelling;
mod outcome_batcher;
mod record;
mod test_mail;

use inboxd_mail::EmailAddress;
use time::Duration;

use super::App;
use super::claiming::{self, NotClaimed};
use super::dkim;
use super::receive::{Arrived, IncomingMail, NotReceived, receive_for, recipient};
use crate::Error;
use crate::model::{Claim, DeliveryOutcome, DeliveryReport, OrganizationId, QueuedMail, RawMail, Route};
use crate::ports::{MessageKey, OutgoingClaim, OutgoingMail, Recall, StoreError, Transport, WorkJournal, WorkOwner};

pub(super) use departures::Departures;
pub use finish::{Finished, finish, keep};
pub(super) use labelling::{Labelling, label};
pub(super) use outcome_batcher::OutcomeBatcher;
pub use outcome_batcher::{Delivered, settle_delivery};
pub use test_mail::{is_reply_to_test, send_test_mail, test_subject};

/// Lease of a claimed mail; an attempt must end before it. The journal lists the claims of a crashed worker. If the
/// journal is lost too, another worker claims the mail when the lease has expired.
pub const LEASE: Duration = Duration::minutes(15);

/// Free delivery capacity of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailRoom {
    /// Maximum of mails.
    pub mails: u32,
    /// Maximum of mails with an earlier attempt.
    pub retries: u32,
    /// Maximum of tenants' mails; the rest is for codes.
    pub messages: u32,
    /// Maximum of codes; the rest is for tenants' mails.
    pub codes: u32,
    /// Maximum of concurrent mails of one organization.
    pub per_organization: u32,
    /// Mails in progress by organization.
    pub held: Vec<(OrganizationId, u32)>,
    /// Maximum of concurrent mails to one destination.
    pub per_destination: u32,
    /// Mails in progress by destination.
    pub in_hand: Vec<(String, u32)>,
}

/// Claims due mails within the free capacity. The journal receives the claims before they are committed.
///
/// # Errors
/// [`NotClaimed`].
pub async fn claim_due_mail(
    app: &App,
    journal: &dyn WorkJournal,
    room: MailRoom,
) -> Result<Vec<QueuedMail>, NotClaimed> {
    let now = app.clock.now();
    let claim = OutgoingClaim {
        claim_id: app.claim_id(now),
        now,
        until: now + LEASE,
        limit: room.mails,
        retries: room.retries,
        messages: room.messages,
        codes: room.codes,
        per_organization: room.per_organization,
        held: room.held,
        per_destination: room.per_destination,
        in_hand: room.in_hand,
    };
    let mut tx = app.store.begin().await?;
    let mails = tx.outgoing().claim(&claim).await?;
    claiming::noted(journal, mails.iter().map(|mail| Claim::Mail(mail.into())), tx.commit()).await?;
    Ok(mails)
}

/// Attempts to deliver a claimed mail. Returns a report about each recipient in their order, after the journal has
/// received the outcomes. With `at_hand`, the content is not read again. If a mail is recalled during its attempt, it is
/// deferred.
pub async fn attempt_delivery(
    app: &App,
    transport: &dyn Transport,
    journal: &dyn WorkJournal,
    mail: &QueuedMail,
    at_hand: Option<Vec<u8>>,
    recall: &Recall,
) -> Vec<DeliveryReport> {
    let all = |outcome: DeliveryOutcome| vec![DeliveryReport::from(outcome); mail.recipients.len()];
    let later = |reason: String| all(DeliveryOutcome::Deferred { reason });
    let content = match at_hand {
        Some(raw) => Ok(LoadedContent::Plain(raw)),
        None => load_content(app, mail).await,
    };
    let reports = match content {
        Ok(LoadedContent::Plain(raw)) => hand_over(app, transport, mail, raw, recall).await,
        Ok(LoadedContent::Sealed) => later("the mail is sealed under another key".to_owned()),
        // Every queued mail has content. If it is missing nevertheless, the sender receives a bounce.
        Ok(LoadedContent::Missing) => {
            all(DeliveryOutcome::Refused { status: "4.3.0".to_owned(), reply: "the mail is gone".to_owned() })
        }
        Err(Error::Store(StoreError::ContentLost(_))) => {
            let reply = "the content of the mail is lost".to_owned();
            all(DeliveryOutcome::Refused { status: "4.3.0".to_owned(), reply })
        }
        // The tenant reads the reason, so it says nothing about the database.
        Err(_) => later("the service could not read the message; it is tried again".to_owned()),
    };
    let outcomes: Vec<DeliveryOutcome> = reports.iter().map(|report| report.outcome.clone()).collect();
    journal.answered(mail.into(), &outcomes);
    reports
}

/// Returns the size of a claimed mail in bytes, so that memory can be reserved for it.
///
/// # Errors
/// [`Error::Store`].
pub async fn size_of(app: &App, mail: &QueuedMail) -> Result<u64, Error> {
    match &mail.raw {
        RawMail::OfMessage => Ok(app.store.size_of_outgoing(mail.outgoing_id).await?.unwrap_or(0)),
        RawMail::Sealed(sealed) => Ok(u64::try_from(sealed.len()).unwrap_or(u64::MAX)),
    }
}

/// Content of a queued mail.
enum LoadedContent {
    /// Content in plain form.
    Plain(Vec<u8>),
    /// Content encrypted under another key, which the operator may restore.
    Sealed,
    /// Missing content.
    Missing,
}

async fn load_content(app: &App, mail: &QueuedMail) -> Result<LoadedContent, Error> {
    match &mail.raw {
        RawMail::OfMessage => {
            let raw = app.store.raw_of_outgoing(mail.outgoing_id).await?;
            Ok(raw.map_or(LoadedContent::Missing, LoadedContent::Plain))
        }
        RawMail::Sealed(sealed) => Ok(app
            .vault
            .open(mail.outgoing_id.0.as_bytes(), sealed)
            .map_or(LoadedContent::Sealed, LoadedContent::Plain)),
    }
}

async fn hand_over(
    app: &App,
    transport: &dyn Transport,
    mail: &QueuedMail,
    raw: Vec<u8>,
    recall: &Recall,
) -> Vec<DeliveryReport> {
    match mail.route {
        Route::Local => deliver_inside(app, mail, raw).await.into_iter().map(DeliveryReport::from).collect(),
        Route::Remote => {
            let raw = match dkim::signed(app, mail, raw).await {
                Ok(raw) => raw,
                Err(reason) => return vec![DeliveryOutcome::Deferred { reason }.into(); mail.recipients.len()],
            };
            let handed = OutgoingMail {
                is_code: mail.is_code,
                outgoing_id: mail.outgoing_id,
                message: mail.message.as_ref().map(|message| MessageKey {
                    organization_id: mail.organization_id,
                    inbox_id: message.inbox_id.clone(),
                    message_id: message.message_id.clone(),
                }),
                envelope_from: mail.envelope_from.clone(),
                recipients: mail.recipients.clone(),
                raw,
                recall: recall.clone(),
            };
            let mut outcomes = transport.deliver(&handed).await;
            let mut report_on = |recipient: &EmailAddress| {
                let place = outcomes.iter().position(|outcome| outcome.recipient == *recipient)?;
                Some(outcomes.swap_remove(place).report)
            };
            // A recipient without an outcome was not reached and is tried again.
            let nothing = || DeliveryOutcome::Deferred { reason: "no outcome for this recipient".to_owned() }.into();
            mail.recipients.iter().map(|recipient| report_on(recipient).unwrap_or_else(nothing)).collect()
        }
    }
}

/// Delivers to local inboxes through the inbound pipeline. Each recipient is delivered separately, so that a deleted
/// inbox does not delay others. An inbox that received the mail in an interrupted attempt detects the repeat
/// (`rules/repeats.rs`).
async fn deliver_inside(app: &App, mail: &QueuedMail, raw: Vec<u8>) -> Vec<DeliveryOutcome> {
    let mut outcomes = Vec::with_capacity(mail.recipients.len());
    for address in &mail.recipients {
        outcomes.push(match deliver_to(app, mail, address, raw.clone()).await {
            Ok(_) => DeliveryOutcome::Delivered,
            Err(NotReceived::Store(_)) => {
                let reason = "the service could not store the message; it is tried again".to_owned();
                DeliveryOutcome::Deferred { reason }
            }
            Err(
                later @ (NotReceived::OneIsGone(_)
                | NotReceived::MailboxFull(_)
                | NotReceived::NoSpace
                | NotReceived::Deferred { .. }),
            ) => DeliveryOutcome::Deferred { reason: later.to_string() },
            Err(refusal) => {
                DeliveryOutcome::Refused { status: status_of(&refusal).to_owned(), reply: refusal.to_string() }
            }
        });
    }
    outcomes
}

async fn deliver_to(
    app: &App,
    mail: &QueuedMail,
    address: &EmailAddress,
    raw: Vec<u8>,
) -> Result<Arrived, NotReceived> {
    let recipients = vec![recipient(app, address).await?];
    let incoming = IncomingMail { envelope_from: Some(mail.envelope_from.clone()), recipients, raw, client: None };
    // On the heap: the future of a receipt is large.
    Box::pin(receive_for(app, WorkOwner::Organization(mail.organization_id), incoming)).await
}

fn status_of(refusal: &NotReceived) -> &'static str {
    match refusal {
        NotReceived::UnknownRecipient(_) => "5.1.1",
        NotReceived::NoReport | NotReceived::ForeignReports(_) => "5.7.1",
        NotReceived::Loop(_) => "5.4.6",
        NotReceived::TooLarge(_) => "5.3.4",
        NotReceived::OneIsGone(_) | NotReceived::Deferred { .. } => "4.2.1",
        NotReceived::MailboxFull(_) => "4.2.2",
        NotReceived::NoSpace => "4.3.1",
        NotReceived::Store(_) => "4.3.0",
    }
}
