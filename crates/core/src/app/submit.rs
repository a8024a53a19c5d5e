//! A mail leaves an inbox: composed, checked against every cap, stored and queued in one unit of work.

use inboxd_mail::{AttachmentPart, Composition, Disposition, EmailAddress, ParsedMail, compose, parse};
use time::OffsetDateTime;

use super::contention::{is_contention, retried};
use super::ingest::{self, Origin};
use super::label_history::{Relabelled, record};
use super::letter::{self, AttachmentSource, LARGEST_ATTACHMENT, Letter, LetterAttachment};
use super::{App, homes, inboxes, rejection, reports, screening};
use crate::model::outgoing::SentMessage;
use crate::model::{
    Actor, Caller, ClaimedDraft, Event, EventBody, EventId, EventType, Hidden, Home, Inbox, Labels, MessageId,
    MessageItem, NewMail, NewMessage, Outgoing, OutgoingId, RawMail, SendClaim, Sent, Thread, ThreadId, UsageChange,
};
use crate::ports::{StoreError, Tx};
use crate::rules::{labels, limits, loops, recipients};
use crate::{Error, FieldError, Resource};

/// Where a letter belongs.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// The thread it continues; `None` begins one.
    pub(super) thread_id: Option<ThreadId>,
    /// The message it answers.
    pub(super) in_reply_to: Option<MessageId>,
    /// The messages before it, oldest first.
    pub(super) references: Vec<MessageId>,
    /// The draft that the letter was, in the revision that was claimed for sending it. It goes in the very unit of work
    /// that stores the message, so that it can never be sent twice.
    pub(super) draft: Option<ClaimedDraft>,
    /// The claim of the key that makes the send repeatable. Its answer is kept in that very unit of work, too.
    pub(super) claim: Option<SendClaim>,
}

/// Sends a letter from an inbox, and records when it is refused for a recipient. The caller's permission and reach were
/// checked before.
pub(super) async fn submit(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: Place,
) -> Result<Sent, Error> {
    rejection::recorded(app, inbox, attempt(app, caller, inbox, letter, place).await).await
}

/// Sends a letter from an inbox; what a refusal leaves behind is the affair of whoever asked.
pub(super) async fn attempt(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: Place,
) -> Result<Sent, Error> {
    let (recipients, labels) = letter::check(&letter)?;
    let now = app.clock.now();
    let message_id = MessageId::minted(app.random.uuid_at(now), inbox.inbox_id.domain());
    let bcc: Vec<String> = letter.bcc.iter().map(ToString::to_string).collect();
    // Nothing is fetched for somebody who may not send it anyway.
    homes::refuse_lost(app, inbox).await?;
    allow_recipients(app, caller, inbox, &recipients).await?;
    let raw = write(app, caller, inbox, letter, &place, &message_id, now).await?;
    let parsed = parse(&raw);
    let homes = homes::of(app, &recipients).await?;
    let actor = &caller.actor;
    let returns_to = reports::return_domain(app, inbox).await?;
    let submission =
        Submission { inbox, actor, labels, bcc, recipients, homes, returns_to, message_id, raw, parsed, place, now };
    let sent = match retried(is_contention, || store(app, &submission)).await {
        Err(Error::Store(StoreError::Undecided(cause))) => look(app, &submission, cause).await?,
        stored => stored?,
    };
    app.wake.outgoing();
    Ok(sent)
}

/// Decides what a lost answer to the commit left open: mail that was stored is on its way, and to send it again would
/// send it twice.
async fn look(app: &App, submission: &Submission<'_>, cause: String) -> Result<Sent, Error> {
    let Inbox { organization_id, inbox_id, .. } = submission.inbox;
    let undecided = |_| StoreError::Undecided(cause.clone());
    let mut tx = app.store.begin().await.map_err(undecided)?;
    // The unit of work held this lock, and may be about to end: it is waited for.
    tx.accounts().lock(*organization_id).await.map_err(undecided)?;
    // Whoever looks needs the connection.
    tx.commit().await.map_err(undecided)?;
    let ids = std::slice::from_ref(&submission.message_id);
    let found = app.store.messages(*organization_id, inbox_id, ids, Hidden::ALL).await.map_err(undecided)?;
    let message = found.into_iter().next().ok_or(StoreError::Unavailable(cause))?;
    Ok(Sent { message_id: message.item.message_id, thread_id: message.item.thread_id })
}

/// A letter that was written and may go, if the caps allow it.
struct Submission<'a> {
    inbox: &'a Inbox,
    actor: &'a Actor,
    labels: Labels,
    bcc: Vec<String>,
    recipients: Vec<EmailAddress>,
    homes: Vec<Home>,
    /// The domain that reports about it come back to.
    returns_to: String,
    message_id: MessageId,
    raw: Vec<u8>,
    parsed: ParsedMail,
    place: Place,
    now: OffsetDateTime,
}

/// Composes the mail. Nothing is stored yet, for an attachment may have to be read from the network.
async fn write(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: &Place,
    message_id: &MessageId,
    now: OffsetDateTime,
) -> Result<Vec<u8>, Error> {
    let from = inbox.mailbox().ok_or_else(|| Error::Internal(format!("{} is no address", inbox.inbox_id)))?;
    let mail = compose(&Composition {
        from,
        reply_to: letter.reply_to,
        to: letter.to,
        cc: letter.cc,
        subject: letter.subject,
        text: letter.text,
        html: letter.html,
        attachments: read_attachments(app, "attachments", letter.attachments).await?,
        headers: letter.headers,
        message_id: message_id.as_str().to_owned(),
        in_reply_to: place.in_reply_to.as_ref().map(|id| id.as_str().to_owned()),
        references: place.references.iter().map(|id| id.as_str().to_owned()).collect(),
        date: now.unix_timestamp(),
        // People write by hand.
        auto_submitted: loops::applies_to(&caller.actor),
    })?;
    let limit = app.settings.max_message_bytes;
    if mail.len() > limit {
        return Err(Error::TooLarge { size: mail.len(), limit });
    }
    Ok(mail)
}

/// Reads the octets of attachments, from the network where they are named by URL. A problem names the field.
pub(super) async fn read_attachments(
    app: &App,
    field: &str,
    attachments: Vec<LetterAttachment>,
) -> Result<Vec<AttachmentPart>, Error> {
    let mut parts = Vec::with_capacity(attachments.len());
    let mut problems = Vec::new();
    let mut room = app.settings.max_message_bytes;
    for (place, attachment) in attachments.into_iter().enumerate() {
        let (content, found_type) = match attachment.source {
            AttachmentSource::Content(content) => (content, None),
            AttachmentSource::Url(url) => match app.fetch.get(&url, LARGEST_ATTACHMENT.min(room)).await {
                Ok(fetched) => (fetched.content, fetched.content_type),
                Err(error) => {
                    problems.push(FieldError::new(format!("{field}[{place}].url"), error.to_string()));
                    continue;
                }
            },
        };
        room = room.saturating_sub(content.len());
        parts.push(AttachmentPart {
            filename: attachment.filename,
            content_type: attachment.content_type.or(found_type),
            disposition: attachment.content_disposition.unwrap_or(Disposition::Attachment),
            content_id: attachment.content_id,
            content,
        });
    }
    if problems.is_empty() { Ok(parts) } else { Err(Error::Invalid(problems)) }
}

/// Refuses recipients whom the organization may not, or cannot, write to.
async fn allow_recipients(app: &App, caller: &Caller, inbox: &Inbox, recipients: &[EmailAddress]) -> Result<(), Error> {
    recipients::allow(&caller.organization, recipients)?;
    screening::refuse_suppressed(app, inbox, recipients).await?;
    screening::refuse_unlisted(app, inbox, recipients).await
}

async fn store(app: &App, submission: &Submission<'_>) -> Result<Sent, Error> {
    let Submission { inbox, now, message_id, .. } = submission;
    let organization_id = inbox.organization_id;
    let mut tx = app.store.begin().await?;
    check_caps(tx.as_mut(), submission).await?;
    inboxes::hold(tx.as_mut(), inbox).await?;

    let thread = continued_thread(tx.as_mut(), submission).await?;
    if let Some(thread) = &thread {
        stop_loops(tx.as_mut(), submission, thread.thread_id).await?;
    }
    if let Some(draft) = &submission.place.draft
        && !tx.drafts().remove(draft).await?
    {
        // The claim ran out, and somebody else has sent, changed or deleted it since.
        return Err(Error::DraftSending(draft.draft_id));
    }
    let origin = Origin {
        organization_id,
        inbox_id: inbox.inbox_id.clone(),
        thread_id: thread.as_ref().map_or_else(|| app.mint(*now), |thread| thread.thread_id),
        message_id: message_id.clone(),
        labels: submission.labels.clone(),
        bcc: submission.bcc.clone(),
        sent_by: Some(submission.actor.clone()),
        size: submission.raw.len(),
        now: *now,
    };
    let message = ingest::message(app, &submission.parsed, origin);
    let thread_id = message.item.thread_id;
    let sent = Sent { message_id: message_id.clone(), thread_id };
    if let Some(claim) = &submission.place.claim
        && !tx.send_keys().keep(claim, &sent, *now).await?
    {
        // The claim ran out, and somebody else is sending, or has sent.
        return Err(Error::SendKeyInUse(claim.key.clone()));
    }
    let change = UsageChange {
        storage_bytes: i64::try_from(submission.raw.len()).unwrap_or(i64::MAX),
        messages: 1,
        threads: i64::from(thread.is_none()),
    };
    let (begun, joined) = match thread {
        Some(thread) => (Vec::new(), vec![thread.joined_by(&message.item)]),
        None => (vec![Thread::started_by(&message.item)], Vec::new()),
    };
    let search_text = ingest::search_text(&message);
    let named = named_labels(&message.item);
    let raw = submission.raw.clone();
    let new = NewMail {
        messages: vec![NewMessage { message, raw, header_message_id: None, digest: None, search_text }],
        begun,
        joined,
        events: vec![sent_event(app, submission, thread_id)],
        usage: vec![(organization_id, inbox.inbox_id.clone(), change)],
    };
    record(app, tx.as_mut(), inbox, submission.actor, &[named], *now).await?;
    tx.outgoing().enqueue(&queued(app, submission, thread_id)?).await?;
    tx.usage().count_send(organization_id, now.date()).await?;
    tx.messages().insert(&new).await?;
    tx.commit().await?;
    Ok(sent)
}

/// The thread that the letter continues, locked. A draft outlives the thread that it was begun on and begins another.
async fn continued_thread(tx: &mut dyn Tx, submission: &Submission<'_>) -> Result<Option<Thread>, Error> {
    let Submission { inbox, place, .. } = submission;
    let Some(thread_id) = place.thread_id else { return Ok(None) };
    let thread = tx.threads().lock(inbox.organization_id, &inbox.inbox_id, &[thread_id]).await?.pop();
    if thread.is_none() && place.draft.is_none() {
        return Err(Error::not_found(Resource::Thread, thread_id));
    }
    Ok(thread)
}

/// Refuses one more of too many mails to a correspondent in a thread. The organization's lock makes the count exact.
async fn stop_loops(tx: &mut dyn Tx, submission: &Submission<'_>, thread_id: ThreadId) -> Result<(), Error> {
    let Submission { inbox, actor, recipients, now, .. } = submission;
    if !loops::applies_to(actor) {
        return Ok(());
    }
    let after = *now - loops::WINDOW;
    let spent = tx
        .messages()
        .spent_budgets(inbox.organization_id, &inbox.inbox_id, thread_id, recipients, after, loops::BUDGET)
        .await?;
    loops::refuse_spent(spent)
}

/// The labels that the caller gave to a mail with its sending; those of the service are nobody's act.
fn named_labels(message: &MessageItem) -> Relabelled {
    let of_service = message.labels.iter().filter(|label| labels::SYSTEM.contains(label)).collect();
    Relabelled { message_id: message.message_id.clone(), before: of_service, after: message.labels.clone() }
}

/// Checks every cap under the lock of the organization, so that parallel sends are counted exactly.
async fn check_caps(tx: &mut dyn Tx, submission: &Submission<'_>) -> Result<(), Error> {
    let organization_id = submission.inbox.organization_id;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    if organization.limits().storage_bytes.is_some() {
        let stored = tx.usage().storage_bytes(organization_id).await?;
        limits::allow_storage(&organization, stored)?;
    }
    let sent = tx.usage().sends(organization_id, submission.now.date()).await?;
    limits::allow_send(&organization, sent, submission.now)
}

fn sent_event(app: &App, submission: &Submission<'_>, thread_id: ThreadId) -> Event {
    Event {
        event_id: app.mint::<EventId>(submission.now),
        event_type: EventType::MessageSent,
        organization_id: submission.inbox.organization_id,
        pod_id: Some(submission.inbox.pod_id),
        inbox_id: Some(submission.inbox.inbox_id.clone()),
        thread_id: Some(thread_id),
        message_id: Some(submission.message_id.clone()),
        body: EventBody::Send { recipients: submission.recipients.iter().map(ToString::to_string).collect() },
        created_at: submission.now,
    }
}

fn queued(app: &App, submission: &Submission<'_>, thread_id: ThreadId) -> Result<Vec<Outgoing>, Error> {
    let Submission { inbox, now, .. } = submission;
    recipients::by_route(submission.recipients.clone(), &submission.homes)
        .into_iter()
        .flat_map(|(route, recipients)| {
            let groups = recipients::by(recipients, |recipient| app.settings.destination_of(route, recipient));
            groups.into_iter().map(move |(destination, recipients)| (route, destination, recipients))
        })
        .map(|(route, destination, recipients)| {
            let outgoing_id: OutgoingId = app.mint(*now);
            Ok(Outgoing {
                outgoing_id,
                organization_id: inbox.organization_id,
                message: Some(SentMessage {
                    pod_id: inbox.pod_id,
                    inbox_id: inbox.inbox_id.clone(),
                    thread_id,
                    message_id: submission.message_id.clone(),
                }),
                route,
                destination,
                envelope_from: reports::return_path(app, outgoing_id, &submission.returns_to)?,
                recipients,
                raw: RawMail::OfMessage,
                attempts: 0,
                claim_id: None,
                is_delay_told: false,
                created_at: *now,
                due_at: *now,
            })
        })
        .collect()
}
