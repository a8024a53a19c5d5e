//! Receipt of mail at return paths: reports, and mail that is not accepted there.

use inboxd_mail::{BounceReport, EmailAddress, read_report};
use time::OffsetDateTime;

use crate::app::contention::retried;
use crate::app::deliver::{Labelling, label};
use crate::app::permits::Permits;
use crate::app::{App, IncomingMail, NotReceived, homes};
use crate::model::outgoing::SentMessage;
use crate::model::return_path::SentMail;
use crate::model::{
    Event, EventBody, EventId, EventType, OrganizationId, OutgoingId, RecipientStatus, Suppression, SuppressionReason,
};
use crate::ports::{LockWait, StoreError, Tx};
use crate::rules::bounces::RefusalGroup;
use crate::rules::reports::{self, ReportEvent};
use crate::rules::return_paths;

/// Maximum of reports that wait for a permit. Beyond it they are deferred.
const MAX_REPORTS_WAITING: usize = 64;

/// Outcome of a mail at a return path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The report was new: its events and their effects are stored.
    Recorded,
    /// The report contained nothing new.
    AlreadyRecorded,
    /// The sent mail is unknown: it is a mail of the service itself, or past retention.
    Unknown,
    /// The mail is no readable report, and has the null sender, which must not receive a reply.
    NotUnderstood,
}

/// Mail at a return path, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Returned {
    /// The sent mail.
    pub outgoing_id: OutgoingId,
    /// Organization and message of the sent mail; `None` if unknown or past retention.
    pub of: Option<(OrganizationId, SentMessage)>,
    /// The outcome.
    pub fate: Fate,
}

/// Returns the sent mail to which a return path belongs, if the address is one. The signature proves that the service
/// created it. The domain must be served here too, otherwise the service would accept mail for any domain.
pub(in crate::app) async fn returned_mail(app: &App, address: &EmailAddress) -> Result<Option<OutgoingId>, StoreError> {
    match return_paths::outgoing_of(&app.settings.signing_key, address) {
        Some(outgoing_id) if is_hosted(app, outgoing_id, address).await? => Ok(Some(outgoing_id)),
        _ => Ok(None),
    }
}

/// Returns whether a return path is at a served domain, or at one that its organization has proven. The records of a
/// proven domain may be broken by now, and its reports are still accepted.
async fn is_hosted(app: &App, outgoing_id: OutgoingId, path: &EmailAddress) -> Result<bool, StoreError> {
    if homes::of_one(app, path).await?.is_ours() {
        return Ok(true);
    }
    let Some(known) = app.store.sent_mail(outgoing_id).await? else { return Ok(false) };
    let proven = app.store.proven_domain(&path.domain()).await?;
    Ok(proven.is_some_and(|domain| domain.organization_id == known.organization_id))
}

/// Reads the report in a mail to a return path.
///
/// # Errors
/// [`NotReceived::NoReport`] if the mail is no report and its sender can receive a reply. Mail from the null sender
/// never receives one (RFC 5321, section 4.5.5).
pub(in crate::app) fn judge(mail: &IncomingMail) -> Result<Option<BounceReport>, NotReceived> {
    match read_report(&mail.raw) {
        Some(report) => Ok(Some(report)),
        None if mail.envelope_from.is_none() => Ok(None),
        None => Err(NotReceived::NoReport),
    }
}

/// Applies a report about these mails: events, labels, and suppressions, the last only as far as the authenticated
/// domains in `vouching` permit. No message is created. The call is idempotent.
pub(in crate::app) async fn take(
    app: &App,
    outgoing: &[OutgoingId],
    report: Option<&BounceReport>,
    vouching: &[String],
) -> Result<Vec<Returned>, StoreError> {
    let mut returned = Vec::with_capacity(outgoing.len());
    for &outgoing_id in outgoing {
        let known = app.store.sent_mail(outgoing_id).await?;
        let fate = match (report, &known) {
            (None, _) => Fate::NotUnderstood,
            (Some(_), None) => Fate::Unknown,
            (Some(report), Some(known)) => take_one(app, known, report, vouching).await?,
        };
        let of = known.map(|mail| (mail.organization_id, mail.message));
        returned.push(Returned { outgoing_id, of, fate });
    }
    Ok(returned)
}

/// Permits of the units of work that apply reports, so that their locks do not hold the connections of inbound mail.
pub(in crate::app) struct Reports(Permits);

impl Reports {
    /// Creates at most `max_lock_waits` concurrent permits.
    pub(in crate::app) fn new(max_lock_waits: usize) -> Self {
        Self(Permits::new(max_lock_waits))
    }
}

impl Default for Reports {
    fn default() -> Self {
        Self::new(1)
    }
}

async fn take_one(app: &App, known: &SentMail, report: &BounceReport, vouching: &[String]) -> Result<Fate, StoreError> {
    let permit = app.waiting.reports.0.acquire_behind(MAX_REPORTS_WAITING).await;
    if permit.is_none() {
        return Err(StoreError::LockTimeout);
    }
    let came_between = |error: &StoreError| matches!(error, StoreError::Contention | StoreError::LockTimeout);
    retried(came_between, || record(app, known, report, vouching)).await
}

async fn record(app: &App, known: &SentMail, report: &BounceReport, vouching: &[String]) -> Result<Fate, StoreError> {
    let SentMail { outgoing_id, organization_id, message, .. } = known;
    let now = app.clock.now();
    let mut tx = app.store.begin_within(LockWait::Brief).await?;
    // The thread is locked before the queue, in the same order as by deliveries.
    let thread = tx.threads().lock(*organization_id, &message.inbox_id, &[message.thread_id]).await?;
    let Some(mut mail) = tx.return_paths().lock(*organization_id, *outgoing_id).await? else {
        return Ok(Fate::Unknown);
    };
    let changes = reports::record_report(&mut mail, report);
    if changes.is_empty() {
        return Ok(Fate::AlreadyRecorded);
    }
    tx.return_paths().store_reported(&mail).await?;
    for change in &changes {
        suppress(tx.as_mut(), &mail, change, vouching, now).await?;
    }
    let labels: Vec<&str> = changes.iter().filter_map(ReportEvent::label).collect();
    label(tx.as_mut(), thread, &[Labelling { message, labels }], now).await?;
    let events: Vec<Event> = changes.into_iter().map(|change| event(app, &mail, change, now)).collect();
    tx.events().append(&events).await?;
    tx.commit().await?;
    Ok(Fate::Recorded)
}

async fn suppress(
    tx: &mut dyn Tx,
    mail: &SentMail,
    change: &ReportEvent,
    vouching: &[String],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let reason = match change {
        ReportEvent::Bounced(_) => SuppressionReason::Bounce,
        ReportEvent::Complained { .. } => SuppressionReason::Complaint,
    };
    for address in change.addresses_to_suppress(mail, vouching) {
        let organization_id = mail.organization_id;
        tx.suppressions().add(&Suppression { organization_id, address, reason, created_at: now }).await?;
    }
    Ok(())
}

fn event(app: &App, mail: &SentMail, change: ReportEvent, now: OffsetDateTime) -> Event {
    let SentMessage { pod_id, inbox_id, thread_id, message_id } = &mail.message;
    let (event_type, body) = match change {
        ReportEvent::Bounced(refusals) => (EventType::MessageBounced, bounce(refusals)),
        ReportEvent::Complained { kind, sub_type, recipients } => {
            let recipients = recipients.iter().map(ToString::to_string).collect();
            let body = EventBody::Complaint { kind, sub_type: sub_type.to_owned(), recipients };
            (EventType::MessageComplained, body)
        }
    };
    Event {
        event_id: app.mint::<EventId>(now),
        event_type,
        organization_id: mail.organization_id,
        pod_id: Some(*pod_id),
        inbox_id: Some(inbox_id.clone()),
        thread_id: Some(*thread_id),
        message_id: Some(message_id.clone()),
        body,
        created_at: now,
        traceparent: None,
    }
}

/// Returns the event body for recipients that did not receive a mail.
fn bounce(refusals: RefusalGroup) -> EventBody {
    let recipients = refusals
        .recipients
        .into_iter()
        .map(|(address, status)| RecipientStatus { address: address.to_string(), status })
        .collect();
    EventBody::Bounce { kind: refusals.kind.as_str().to_owned(), sub_type: refusals.sub_type.to_owned(), recipients }
}
