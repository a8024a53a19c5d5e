//! Storing what came of an attempt: what is left of the mail, its events, its labels, the addresses that are dead.

use inboxd_mail::EmailAddress;

use crate::Error;
use crate::app::contention::{is_contention, retried};
use crate::app::{App, reports};
use crate::model::outgoing::SentMessage;
use crate::model::{
    Event, EventBody, EventId, EventType, MessageItem, Outcome, Outgoing, RecipientStatus, Suppression,
    SuppressionReason, Thread,
};
use crate::ports::{StoreError, Tx};
use crate::rules::bounces::{BounceKind, DELAYED, Refusals, grouped};
use crate::rules::retry;

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

/// Stores what came of an attempt, an outcome for each recipient in their order, with its events and suppressions in one
/// unit of work.
///
/// # Errors
/// [`Error::Store`]; what is known must then be [kept and stored later](super::finish), for the mail is out.
pub async fn settle_delivery(app: &App, mail: &Outgoing, outcomes: &[Outcome]) -> Result<Delivered, Error> {
    let sorted = Sorted::of(&mail.recipients, outcomes);
    retried(is_contention, || settle(app, mail, sorted.clone())).await
}

/// The recipients of an attempt by what became of them.
#[derive(Debug, Clone, Default)]
struct Sorted {
    delivered: Vec<EmailAddress>,
    refused: Vec<(EmailAddress, String)>,
    deferred: Vec<EmailAddress>,
    /// Whether the sender is to be told of those that are deferred.
    is_late: bool,
}

impl Sorted {
    fn of(recipients: &[EmailAddress], outcomes: &[Outcome]) -> Self {
        let mut sorted = Self::default();
        for (recipient, outcome) in recipients.iter().cloned().zip(outcomes) {
            match outcome {
                Outcome::Delivered => sorted.delivered.push(recipient),
                Outcome::Refused { status, .. } => sorted.refused.push((recipient, status.clone())),
                Outcome::Deferred { .. } => sorted.deferred.push(recipient),
            }
        }
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
        sorted.is_late = retry::is_to_be_told(mail.created_at, now, mail.is_delay_told);
        let is_delay_told = mail.is_delay_told || sorted.is_late;
        let left = Outgoing { recipients: sorted.deferred.clone(), due_at, is_delay_told, ..mail.clone() };
        tx.outgoing().defer(&left).await?
    } else {
        // Tried for long enough: what is still deferred has not arrived and will not (RFC 3463, 4.4.7).
        let expired = sorted.deferred.drain(..).map(|recipient| (recipient, "4.4.7".to_owned()));
        sorted.refused.extend(expired);
        tx.outgoing().remove(mail.into()).await?
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
    let refused = reports::unreported(tx, mail, sorted.refused.clone()).await?;
    for Refusals { kind, sub_type, recipients } in grouped(&refused) {
        if kind == BounceKind::Permanent {
            suppress(tx, mail, &recipients, now).await?;
        }
        let recipients = recipients
            .into_iter()
            .map(|(address, status)| RecipientStatus { address: address.to_string(), status })
            .collect();
        let body = EventBody::Bounce { kind: kind.as_str().to_owned(), sub_type: sub_type.to_owned(), recipients };
        events.push(event(EventType::MessageBounced, body));
        outcome_labels.push("bounced");
    }
    if sorted.is_late {
        let late = reports::unreported_delay(tx, mail, sorted.deferred.clone()).await?;
        if !late.is_empty() {
            events.push(event(EventType::MessageBounced, delay(&late)));
        }
    }
    if let Some(thread) = thread
        && !outcome_labels.is_empty()
    {
        label(tx, thread, message, &outcome_labels, now).await?;
    }
    Ok(tx.events().append(&events).await?)
}

/// What is said of recipients that the mail has not reached for a while. It may still do so: no label and no suppression
/// comes of it.
fn delay(deferred: &[EmailAddress]) -> EventBody {
    let status =
        |address: &EmailAddress| RecipientStatus { address: address.to_string(), status: DELAYED.0.to_owned() };
    EventBody::Bounce {
        kind: BounceKind::Transient.as_str().to_owned(),
        sub_type: DELAYED.1.to_owned(),
        recipients: deferred.iter().map(status).collect(),
    }
}

async fn suppress(
    tx: &mut dyn Tx,
    mail: &Outgoing,
    dead: &[(EmailAddress, String)],
    now: time::OffsetDateTime,
) -> Result<(), StoreError> {
    for (address, _) in dead {
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
pub(in crate::app) async fn label(
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
