//! Unit of work that stores delivery outcomes.
//!
//! It writes the remaining recipients, events, labels and suppressions.

use std::collections::{BTreeSet, HashSet};

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::labelling::{Labelling, label};
use super::outcome_batcher::Delivered;
use crate::Error;
use crate::app::{App, reports};
use crate::model::outgoing::SentMessage;
use crate::model::{
    ClaimedMail, DeliveryAttempt, DeliveryOutcome, DeliveryReport, Event, EventBody, EventId, EventType, QueuedMail,
    RecipientResult, RecipientStatus, Suppression, SuppressionReason, Thread,
};
use crate::ports::{LockWait, StoreError, ThreadKey, Tx};
use crate::rules::bounces::{BounceKind, DELAYED, RefusalGroup, grouped};
use crate::rules::{delivery_log, event_ids, retry};

/// Attempt with its outcomes.
pub(super) struct AttemptRecord {
    pub(super) mail: QueuedMail,
    pub(super) sorted: OutcomesByKind,
    pub(super) results: Vec<RecipientResult>,
}

impl AttemptRecord {
    pub(super) fn of(mail: &QueuedMail, reports: &[DeliveryReport]) -> Self {
        let outcomes = reports.iter().map(|report| &report.outcome);
        let sorted = OutcomesByKind::of(&mail.recipients, outcomes);
        Self { mail: mail.clone(), sorted, results: delivery_log::results(&mail.recipients, reports) }
    }
}

/// Recipients of an attempt by outcome.
#[derive(Debug, Clone, Default)]
pub(super) struct OutcomesByKind {
    pub(super) delivered: Vec<EmailAddress>,
    pub(super) refused: Vec<(EmailAddress, String)>,
    pub(super) deferred: Vec<EmailAddress>,
}

impl OutcomesByKind {
    fn of<'a>(recipients: &[EmailAddress], outcomes: impl Iterator<Item = &'a DeliveryOutcome>) -> Self {
        let mut sorted = Self::default();
        for (recipient, outcome) in recipients.iter().cloned().zip(outcomes) {
            match outcome {
                DeliveryOutcome::Delivered => sorted.delivered.push(recipient),
                DeliveryOutcome::Refused { status, .. } => sorted.refused.push((recipient, status.clone())),
                DeliveryOutcome::Deferred { .. } => sorted.deferred.push(recipient),
            }
        }
        sorted
    }
}

/// Stores attempts in one unit of work and counts the outcomes of each. A mail with an expired lease stores nothing:
/// another worker has claimed it, and the outcome of that worker counts.
pub(super) async fn record(app: &App, attempts: &[AttemptRecord]) -> Result<Vec<Delivered>, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin_within(LockWait::Brief).await?;
    // Threads are locked before the queue, in the same order as by the deletion of a message.
    let threads = lock_threads(tx.as_mut(), attempts).await?;
    let ends: Vec<End<'_>> = attempts.iter().map(|attempt| End::of(attempt, now)).collect();
    let ours = leave_queue(tx.as_mut(), &ends).await?;
    if ours.is_empty() {
        return Ok(vec![Delivered::default(); attempts.len()]);
    }
    // Before the labels, which travel with the commit.
    let log: Vec<DeliveryAttempt> =
        ends.iter().filter(|end| ours.contains(&end.mail.into())).filter_map(|end| end.logged(app, now)).collect();
    if !log.is_empty() {
        tx.outgoing().log_attempts(&log).await?;
    }
    let (mut events, mut labellings) = (Vec::new(), Vec::new());
    for end in ends.iter().filter(|end| ours.contains(&end.mail.into())) {
        let Some(message) = &end.mail.message else { continue };
        let new = events_of(app, tx.as_mut(), end, message, now).await?;
        labellings.push(Labelling { message, labels: new.iter().filter_map(label_of).collect() });
        events.extend(new);
    }
    label(tx.as_mut(), threads, &labellings, now).await?;
    event_ids::ascend(&mut events);
    if !events.is_empty() {
        tx.events().append(&events).await?;
    }
    tx.commit().await?;
    let delivered =
        |end: &End<'_>| if ours.contains(&end.mail.into()) { end.delivered() } else { Delivered::default() };
    Ok(ends.iter().map(delivered).collect())
}

async fn lock_threads(tx: &mut dyn Tx, attempts: &[AttemptRecord]) -> Result<Vec<Thread>, StoreError> {
    let key = |AttemptRecord { mail, .. }: &AttemptRecord| {
        let SentMessage { inbox_id, thread_id, .. } = mail.message.clone()?;
        Some(ThreadKey { organization_id: mail.organization_id, inbox_id, thread_id })
    };
    let threads: BTreeSet<ThreadKey> = attempts.iter().filter_map(key).collect();
    if threads.is_empty() {
        return Ok(Vec::new());
    }
    tx.threads().lock_across(&threads.into_iter().collect::<Vec<_>>()).await
}

/// Result of an attempt for its mail.
struct End<'a> {
    mail: &'a QueuedMail,
    results: &'a [RecipientResult],
    sorted: OutcomesByKind,
    /// Mail for the recipients to try again.
    left: Option<QueuedMail>,
    /// Whether the sender is to be notified of the delay.
    is_late: bool,
}

impl<'a> End<'a> {
    fn of(attempt: &'a AttemptRecord, now: OffsetDateTime) -> Self {
        let AttemptRecord { mail, sorted, results } = attempt;
        let mut sorted = sorted.clone();
        let next = retry::next_attempt(mail.attempts, mail.created_at, now).filter(|_| !sorted.deferred.is_empty());
        let Some(due_at) = next else {
            // The retry period is over, so deferred recipients fail (RFC 3463, section 4.4.7).
            let expired = sorted.deferred.drain(..).map(|recipient| (recipient, "4.4.7".to_owned()));
            sorted.refused.extend(expired);
            return Self { mail, results, sorted, left: None, is_late: false };
        };
        let is_late = retry::needs_delay_notice(mail.created_at, now, mail.is_delay_told);
        let is_delay_told = mail.is_delay_told || is_late;
        let left = QueuedMail { recipients: sorted.deferred.clone(), due_at, is_delay_told, ..mail.clone() };
        Self { mail, results, sorted, left: Some(left), is_late }
    }

    /// Returns the entry of the attempt log; a service message has none.
    fn logged(&self, app: &App, now: OffsetDateTime) -> Option<DeliveryAttempt> {
        Some(DeliveryAttempt {
            organization_id: self.mail.organization_id,
            attempt_id: app.mint(now),
            message: self.mail.message.clone()?,
            attempt: self.mail.attempts,
            results: self.results.to_vec(),
            next_attempt_at: self.left.as_ref().map(|left| left.due_at),
            attempted_at: now,
        })
    }

    fn delivered(&self) -> Delivered {
        let OutcomesByKind { delivered, refused, deferred } = &self.sorted;
        Delivered { delivered: delivered.len(), bounced: refused.len(), deferred: deferred.len() }
    }
}

/// Removes completed mails from the queue and reschedules the others. Returns the mails with claims that were still
/// valid.
async fn leave_queue(tx: &mut dyn Tx, ends: &[End<'_>]) -> Result<HashSet<ClaimedMail>, StoreError> {
    let mut ours = HashSet::new();
    for (left, results) in ends.iter().filter_map(|end| Some((end.left.as_ref()?, end.results))) {
        let reason = delivery_log::deferral(results).unwrap_or_default();
        if tx.outgoing().defer(left, reason).await? {
            ours.insert(left.into());
        }
    }
    let done: Vec<ClaimedMail> = ends.iter().filter(|end| end.left.is_none()).map(|end| end.mail.into()).collect();
    if !done.is_empty() {
        ours.extend(tx.outgoing().remove(&done).await?);
    }
    Ok(ours)
}

/// Returns the events of an attempt, and suppresses the addresses of permanent bounces.
async fn events_of(
    app: &App,
    tx: &mut dyn Tx,
    end: &End<'_>,
    message: &SentMessage,
    now: OffsetDateTime,
) -> Result<Vec<Event>, StoreError> {
    let End { mail, sorted, is_late, .. } = end;
    let mut events = Vec::new();
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
        traceparent: mail.traceparent,
    };
    if !sorted.delivered.is_empty() {
        let recipients = sorted.delivered.iter().map(ToString::to_string).collect();
        events.push(event(EventType::MessageDelivered, EventBody::Delivery { recipients }));
    }
    let refused = reports::unreported(tx, mail, sorted.refused.clone()).await?;
    for RefusalGroup { kind, sub_type, recipients } in grouped(&refused) {
        if kind == BounceKind::Permanent {
            suppress(tx, mail, &recipients, now).await?;
        }
        let recipients = recipients
            .into_iter()
            .map(|(address, status)| RecipientStatus { address: address.to_string(), status })
            .collect();
        let body = EventBody::Bounce { kind: kind.as_str().to_owned(), sub_type: sub_type.to_owned(), recipients };
        events.push(event(EventType::MessageBounced, body));
    }
    if *is_late {
        let late = reports::unreported_delay(tx, mail, sorted.deferred.clone()).await?;
        if !late.is_empty() {
            events.push(event(EventType::MessageBounced, delay(&late)));
        }
    }
    Ok(events)
}

/// Returns the label that an event adds to its message. A delay adds none, because the mail may still arrive.
fn label_of(event: &Event) -> Option<&'static str> {
    match &event.body {
        EventBody::Delivery { .. } => Some("delivered"),
        EventBody::Bounce { sub_type, .. } if sub_type != DELAYED.1 => Some("bounced"),
        _ => None,
    }
}

/// Returns the body of a delay event. The mail may still arrive, so a delay causes neither label nor suppression.
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
    mail: &QueuedMail,
    dead: &[(EmailAddress, String)],
    now: OffsetDateTime,
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
