//! A mail comes to a return path: a report, or something that has no business there.

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
use crate::rules::bounces::Refusals;
use crate::rules::reports::{self, News};
use crate::rules::return_paths;

/// Reports that wait for a permit. Beyond it they are deferred.
const MAX_REPORTS_WAITING: usize = 64;

/// What was done about a mail to a return path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was told, and what follows was done.
    Told,
    /// It said nothing that is news of the mail.
    NoNews,
    /// Nothing is known of the mail: it is the service's own, or left too long ago.
    Unknown,
    /// It is no report that can be read, and from nobody who could be told so.
    NotUnderstood,
}

/// A mail to a return path, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Returned {
    /// The mail that left.
    pub outgoing_id: OutgoingId,
    /// Whose it was, and which message; `None` where that is not known, or no longer.
    pub of: Option<(OrganizationId, SentMessage)>,
    /// What was done.
    pub fate: Fate,
}

/// The mail that left whose return path an address is, if it is one. The signature alone proves that it is ours; its domain
/// must be one of ours too, or we would take mail for anybody's.
pub(in crate::app) async fn returned_mail(app: &App, address: &EmailAddress) -> Result<Option<OutgoingId>, StoreError> {
    match return_paths::outgoing_of(&app.settings.signing_key, address) {
        Some(outgoing_id) if is_hosted(app, outgoing_id, address).await? => Ok(Some(outgoing_id)),
        _ => Ok(None),
    }
}

/// Whether a return path is at a domain of ours, or at one that its organization has proven: the records of that may have
/// broken since the mail left, and its reports still come.
async fn is_hosted(app: &App, outgoing_id: OutgoingId, path: &EmailAddress) -> Result<bool, StoreError> {
    if homes::of_one(app, path).await?.is_ours() {
        return Ok(true);
    }
    let Some(known) = app.store.sent_mail(outgoing_id).await? else { return Ok(false) };
    let proven = app.store.proven_domain(&path.domain()).await?;
    Ok(proven.is_some_and(|domain| domain.organization_id == known.organization_id))
}

/// The report that a mail to a return path is.
///
/// # Errors
/// [`NotReceived::NoReport`] when it is none and comes from somebody who can be told so. What comes from the null sender
/// is never answered (RFC 5321, section 4.5.5).
pub(in crate::app) fn judge(mail: &IncomingMail) -> Result<Option<BounceReport>, NotReceived> {
    match read_report(&mail.raw) {
        Some(report) => Ok(Some(report)),
        None if mail.envelope_from.is_none() => Ok(None),
        None => Err(NotReceived::NoReport),
    }
}

/// Does what a report about these mails asks for: events, labels, and suppressions as far as these domains can vouch for
/// them. Nothing of it becomes a message. To take
/// the same report again changes nothing.
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

/// Permits of the units of work that take reports: their locks must not hold the connections of incoming mail.
pub(in crate::app) struct Reports(Permits);

impl Reports {
    /// At most so many at a time.
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
    retried(came_between, || tell(app, known, report, vouching)).await
}

async fn tell(app: &App, known: &SentMail, report: &BounceReport, vouching: &[String]) -> Result<Fate, StoreError> {
    let SentMail { outgoing_id, organization_id, message, .. } = known;
    let now = app.clock.now();
    let mut tx = app.store.begin_within(LockWait::Brief).await?;
    // The thread comes before all that belongs to the queue, as for whoever delivers the mail.
    let thread = tx.threads().lock(*organization_id, &message.inbox_id, &[message.thread_id]).await?;
    let Some(mut mail) = tx.return_paths().lock(*organization_id, *outgoing_id).await? else {
        return Ok(Fate::Unknown);
    };
    let news = reports::take(&mut mail, report);
    if news.is_empty() {
        return Ok(Fate::NoNews);
    }
    tx.return_paths().tell(&mail).await?;
    for news in &news {
        suppress(tx.as_mut(), &mail, news, vouching, now).await?;
    }
    let labels: Vec<&str> = news.iter().filter_map(News::label).collect();
    label(tx.as_mut(), thread, &[Labelling { message, labels }], now).await?;
    let events: Vec<Event> = news.into_iter().map(|news| event(app, &mail, news, now)).collect();
    tx.events().append(&events).await?;
    tx.commit().await?;
    Ok(Fate::Told)
}

async fn suppress(
    tx: &mut dyn Tx,
    mail: &SentMail,
    news: &News,
    vouching: &[String],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let reason = match news {
        News::Bounced(_) => SuppressionReason::Bounce,
        News::Complained { .. } => SuppressionReason::Complaint,
    };
    for address in news.dead(mail, vouching) {
        let organization_id = mail.organization_id;
        tx.suppressions().add(&Suppression { organization_id, address, reason, created_at: now }).await?;
    }
    Ok(())
}

fn event(app: &App, mail: &SentMail, news: News, now: OffsetDateTime) -> Event {
    let SentMessage { pod_id, inbox_id, thread_id, message_id } = &mail.message;
    let (event_type, body) = match news {
        News::Bounced(refusals) => (EventType::MessageBounced, bounce(refusals)),
        News::Complained { kind, sub_type, recipients } => {
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
    }
}

/// What is said of recipients that did not get a mail.
fn bounce(refusals: Refusals) -> EventBody {
    let recipients = refusals
        .recipients
        .into_iter()
        .map(|(address, status)| RecipientStatus { address: address.to_string(), status })
        .collect();
    EventBody::Bounce { kind: refusals.kind.as_str().to_owned(), sub_type: refusals.sub_type.to_owned(), recipients }
}
