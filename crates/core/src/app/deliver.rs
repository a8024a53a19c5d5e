//! The outgoing queue at work: claim, try, store what came of it.

use inboxd_mail::EmailAddress;
use time::Duration;

use super::App;
use super::contention::{is_contention, retried};
use super::receive::{IncomingMail, NotReceived, receive};
use crate::Error;
use crate::model::outgoing::SentMessage;
use crate::model::{
    Event, EventBody, EventId, EventType, MessageItem, Outcome, Outgoing, RawMail, RecipientStatus, Route, Suppression,
    SuppressionReason, Thread,
};
use crate::ports::{OutgoingMail, RecipientOutcome, StoreError, Transport, Tx};
use crate::rules::bounces::{BounceKind, classify};
use crate::rules::retry;
use crate::rules::verdict::Verdict;

/// How long a worker keeps a claimed mail to itself; an attempt must be over by then. A worker that dies loses nothing:
/// when the lease has run out, another takes the mail.
pub const LEASE: Duration = Duration::minutes(15);

/// What came of one attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Recipients whose server took the mail.
    pub delivered: usize,
    /// Recipients that refused it for good.
    pub bounced: usize,
    /// Recipients that will be tried again.
    pub deferred: usize,
}

/// Claims up to `limit` mails that are due.
///
/// # Errors
/// [`Error::Store`].
pub async fn claim_due_mail(app: &App, limit: u32) -> Result<Vec<Outgoing>, Error> {
    let mut tx = app.store.begin().await?;
    let claimed = tx.outgoing().claim(app.clock.now(), LEASE, limit).await?;
    tx.commit().await?;
    Ok(claimed)
}

/// Tries to deliver a claimed mail, and stores what came of it with its events and suppressions in one unit of work.
///
/// # Errors
/// [`Error::Store`]; the mail is tried again when the lease has run out.
pub async fn attempt_delivery(app: &App, transport: &dyn Transport, mail: &Outgoing) -> Result<Delivered, Error> {
    let sorted = match octets(app, mail).await? {
        Octets::Here(raw) => Sorted::of(&mail.recipients, hand_over(app, transport, mail, raw).await),
        Octets::Shut => Sorted { deferred: mail.recipients.clone(), ..Sorted::default() },
        // The queue always has the octets of its mails; if it ever has not, the sender is told.
        Octets::Gone => Sorted::refusing(&mail.recipients, "4.3.0"),
    };
    retried(is_contention, || settle(app, mail, sorted.clone())).await
}

/// The octets of a queued mail.
enum Octets {
    /// The mail.
    Here(Vec<u8>),
    /// It is sealed under another key; the operator may bring that key back.
    Shut,
    /// There is none.
    Gone,
}

async fn octets(app: &App, mail: &Outgoing) -> Result<Octets, Error> {
    match &mail.raw {
        RawMail::OfMessage => {
            let raw = app.store.raw_of_outgoing(mail.outgoing_id).await?;
            Ok(raw.map_or(Octets::Gone, Octets::Here))
        }
        RawMail::Sealed(sealed) => {
            Ok(app.vault.open(mail.outgoing_id.0.as_bytes(), sealed).map_or(Octets::Shut, Octets::Here))
        }
    }
}

async fn hand_over(app: &App, transport: &dyn Transport, mail: &Outgoing, raw: Vec<u8>) -> Vec<RecipientOutcome> {
    match mail.route {
        Route::Local => deliver_inside(app, mail, raw).await,
        Route::Remote => {
            let mail = OutgoingMail {
                outgoing_id: mail.outgoing_id,
                envelope_from: mail.envelope_from.clone(),
                recipients: mail.recipients.clone(),
                raw,
            };
            transport.deliver(&mail).await
        }
    }
}

/// Delivers to our own inboxes through the receiving path, each recipient for itself: one that is gone holds up none.
async fn deliver_inside(app: &App, mail: &Outgoing, raw: Vec<u8>) -> Vec<RecipientOutcome> {
    let mut outcomes = Vec::with_capacity(mail.recipients.len());
    for recipient in &mail.recipients {
        let incoming = IncomingMail {
            envelope_from: Some(mail.envelope_from.clone()),
            recipients: vec![recipient.clone()],
            raw: raw.clone(),
            client: None,
            verdict: Verdict::default(),
        };
        let outcome = match receive(app, incoming).await {
            Ok(_) => Outcome::Delivered,
            Err(NotReceived::Store(error)) => Outcome::Deferred { reason: error.to_string() },
            Err(refusal) => Outcome::Refused { status: status_of(&refusal).to_owned(), reply: refusal.to_string() },
        };
        outcomes.push(RecipientOutcome { recipient: recipient.clone(), outcome });
    }
    outcomes
}

fn status_of(refusal: &NotReceived) -> &'static str {
    match refusal {
        NotReceived::UnknownRecipient(_) => "5.1.1",
        NotReceived::Loop(_) => "5.4.6",
        NotReceived::TooLarge(_) => "5.3.4",
        NotReceived::Store(_) => "4.3.0",
    }
}

/// The recipients of an attempt by what became of them.
#[derive(Debug, Clone, Default)]
struct Sorted {
    delivered: Vec<EmailAddress>,
    refused: Vec<(EmailAddress, String)>,
    deferred: Vec<EmailAddress>,
}

impl Sorted {
    fn refusing(recipients: &[EmailAddress], status: &str) -> Self {
        let refused = recipients.iter().map(|recipient| (recipient.clone(), status.to_owned())).collect();
        Self { refused, ..Self::default() }
    }

    /// Sorts recipients by their outcomes. One without an outcome was not reached and is tried again.
    fn of(recipients: &[EmailAddress], outcomes: Vec<RecipientOutcome>) -> Self {
        let mut sorted = Self::default();
        for RecipientOutcome { recipient, outcome } in outcomes {
            match outcome {
                Outcome::Delivered => sorted.delivered.push(recipient),
                Outcome::Refused { status, .. } => sorted.refused.push((recipient, status)),
                Outcome::Deferred { .. } => sorted.deferred.push(recipient),
            }
        }
        let is_sorted = |recipient: &EmailAddress| {
            sorted.delivered.contains(recipient)
                || sorted.deferred.contains(recipient)
                || sorted.refused.iter().any(|(refused, _)| refused == recipient)
        };
        let missed: Vec<_> = recipients.iter().filter(|recipient| !is_sorted(recipient)).cloned().collect();
        sorted.deferred.extend(missed);
        sorted
    }
}

async fn settle(app: &App, mail: &Outgoing, mut sorted: Sorted) -> Result<Delivered, Error> {
    let now = app.clock.now();
    let next = retry::next_attempt(mail.attempts, mail.created_at, now).filter(|_| !sorted.deferred.is_empty());
    let mut tx = app.store.begin().await?;
    // The thread comes before the queue, as for whoever deletes the message on the way.
    let thread = match &mail.message {
        Some(SentMessage { inbox_id, thread_id, .. }) => {
            tx.threads().lock(mail.organization_id, inbox_id, &[*thread_id]).await?.pop()
        }
        None => None,
    };
    let ours = if let Some(due_at) = next {
        let left = Outgoing { recipients: sorted.deferred.clone(), due_at, ..mail.clone() };
        tx.outgoing().defer(&left).await?
    } else {
        // Tried for long enough: what is still deferred has not arrived and will not (RFC 3463, 4.4.7).
        let expired = sorted.deferred.drain(..).map(|recipient| (recipient, "4.4.7".to_owned()));
        sorted.refused.extend(expired);
        tx.outgoing().remove(mail.organization_id, mail.outgoing_id, mail.attempts).await?
    };
    if !ours {
        // The lease ran out and somebody else has the mail now; what they find out counts.
        return Ok(Delivered::default());
    }
    if let Some(message) = &mail.message {
        record(app, tx.as_mut(), mail, message, thread, &sorted).await?;
    }
    tx.commit().await?;
    Ok(Delivered { delivered: sorted.delivered.len(), bounced: sorted.refused.len(), deferred: sorted.deferred.len() })
}

/// Appends the events of an attempt, labels the message and suppresses the addresses that are dead.
async fn record(
    app: &App,
    tx: &mut dyn Tx,
    mail: &Outgoing,
    message: &SentMessage,
    thread: Option<Thread>,
    sorted: &Sorted,
) -> Result<(), Error> {
    let now = app.clock.now();
    let mut events = Vec::new();
    let mut outcome_labels = Vec::new();
    let event = |event_type, body| Event {
        event_id: app.mint::<EventId>(now),
        event_type,
        organization_id: mail.organization_id,
        pod_id: Some(message.pod_id),
        inbox_id: Some(message.inbox_id.clone()),
        thread_id: Some(message.thread_id),
        message_id: Some(message.message_id.clone()),
        body,
        created_at: now,
    };
    if !sorted.delivered.is_empty() {
        let recipients = sorted.delivered.iter().map(ToString::to_string).collect();
        events.push(event(EventType::MessageDelivered, EventBody::Delivery { recipients }));
        outcome_labels.push("delivered");
    }
    for (kind, sub_type, recipients) in bounces(&sorted.refused) {
        if kind == BounceKind::Permanent {
            suppress(tx, mail, &recipients, now).await?;
        }
        let body = EventBody::Bounce { kind: kind.as_str().to_owned(), sub_type: sub_type.to_owned(), recipients };
        events.push(event(EventType::MessageBounced, body));
        outcome_labels.push("bounced");
    }
    if let Some(thread) = thread
        && !outcome_labels.is_empty()
    {
        label(tx, thread, message, &outcome_labels, now).await?;
    }
    Ok(tx.events().append(&events).await?)
}

/// The refusals, grouped by what they mean.
fn bounces(refused: &[(EmailAddress, String)]) -> Vec<(BounceKind, &'static str, Vec<RecipientStatus>)> {
    let mut groups: Vec<(BounceKind, &'static str, Vec<RecipientStatus>)> = Vec::new();
    for (address, status) in refused {
        let (kind, sub_type) = classify(status);
        let recipient = RecipientStatus { address: address.to_string(), status: status.clone() };
        match groups.iter_mut().find(|group| group.0 == kind && group.1 == sub_type) {
            Some(group) => group.2.push(recipient),
            None => groups.push((kind, sub_type, vec![recipient])),
        }
    }
    groups
}

async fn suppress(
    tx: &mut dyn Tx,
    mail: &Outgoing,
    recipients: &[RecipientStatus],
    now: time::OffsetDateTime,
) -> Result<(), StoreError> {
    let dead = mail.recipients.iter().filter(|address| recipients.iter().any(|dead| dead.address == address.as_str()));
    for address in dead {
        let suppression = Suppression {
            organization_id: mail.organization_id,
            address: address.clone(),
            reason: SuppressionReason::Bounce,
            created_at: now,
        };
        tx.suppressions().add(&suppression).await?;
    }
    Ok(())
}

/// Labels the sent message with what became of it, as far as it still exists.
async fn label(
    tx: &mut dyn Tx,
    thread: Thread,
    message: &SentMessage,
    labels: &[&str],
    now: time::OffsetDateTime,
) -> Result<(), StoreError> {
    let SentMessage { inbox_id, message_id, .. } = message;
    let organization_id = thread.organization_id;
    let found = tx.messages().items(organization_id, inbox_id, std::slice::from_ref(message_id)).await?;
    let Some(item) = found.into_iter().next() else { return Ok(()) };
    let mut labelled = MessageItem { updated_at: now, ..item };
    let mut thread = Thread { updated_at: now, ..thread };
    for label in labels {
        labelled.labels.insert(*label);
        thread.labels.insert(*label);
    }
    tx.messages().update_labels(std::slice::from_ref(&labelled)).await?;
    tx.threads().update(&thread).await
}
