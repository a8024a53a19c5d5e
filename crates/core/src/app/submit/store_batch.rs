//! The unit of work that stores a batch of submissions.

use std::collections::BTreeSet;

use inboxd_mail::{EmailAddress, ParsedMail};
use time::OffsetDateTime;

use super::Place;
use super::admission::{Admission, Admitted, outside_storage};
use super::caps::Caps;
use super::content::ContentFacts;
use super::hold::{HeldAttachments, approved_event};
use super::policy::CodeReads;
use super::queue::{queued, sent_event};
use crate::Error;
use crate::app::deliver::Departures;
use crate::app::ingest::{self, Origin};
use crate::app::label_history::{Relabelled, history_of};
use crate::app::{App, contacts};
use crate::model::permissions::DraftApprove;
use crate::model::{
    Actor, ContactChanges, DraftItem, Inbox, InboxId, Labels, Locality, Message, MessageId, MessageItem, NewMail,
    NewMessage, OrganizationId, QueuedMail, SendResult, StoredBlob, Thread, ThreadId, TraceContext, UsageChange,
};
use crate::ports::Tx;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{event_ids, labels};

/// Composed message, to be sent if the quotas permit it.
pub(super) struct Submission {
    pub(super) inbox: Inbox,
    /// Author of the content; policies judge by it.
    pub(super) actor: Actor,
    /// Caller that sends it.
    pub(super) sender: Actor,
    pub(super) labels: Labels,
    pub(super) bcc: Vec<String>,
    pub(super) recipients: Vec<EmailAddress>,
    pub(super) homes: Vec<Locality>,
    /// Domain of the return path.
    pub(super) returns_to: String,
    pub(super) message_id: MessageId,
    /// Thread that the message continues, or that it begins.
    pub(super) thread_id: ThreadId,
    pub(super) raw: Vec<u8>,
    /// Object with the raw message, outside its row.
    pub(super) raw_blob: Option<StoredBlob>,
    /// Attachments as those of a draft, in case that a policy holds the message; `None` while they are not prepared.
    pub(super) attachments: Option<HeldAttachments>,
    pub(super) parsed: ParsedMail,
    pub(super) content: ContentFacts,
    /// Mail with received codes that count.
    pub(super) reads: CodeReads,
    pub(super) place: Place,
    /// Approval by a person. Policies then hold the message no more.
    pub(super) approved_by: Option<Approver>,
    /// Trace of the request that sends it.
    pub(super) traceparent: Option<TraceContext>,
    pub(super) now: OffsetDateTime,
    /// Later time at which it leaves, for a decision in advance.
    pub(super) leaves_at: Option<OffsetDateTime>,
}

/// Person that approved a held message.
pub(in crate::app) struct Approver {
    pub(in crate::app) caller: AuthorizedCaller<DraftApprove>,
    /// The draft as the person saw it.
    pub(in crate::app) draft: Box<DraftItem>,
}

/// Stores submissions, at most one of each thread, in one unit of work and returns their results. A refused submission
/// stores nothing, and neither does one that a policy holds before its attachments are prepared: its result is `None`.
///
/// # Errors
/// The failure of the unit of work, which has then stored nothing.
pub(super) async fn store_batch(
    app: &App,
    submissions: &[&Submission],
) -> Result<Vec<Result<Option<SendResult>, Error>>, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let organizations: BTreeSet<OrganizationId> = submissions.iter().map(|one| one.inbox.organization_id).collect();
    let mut caps = Caps::lock(tx.as_mut(), organizations, now).await?;
    let within: Vec<&Submission> =
        submissions.iter().copied().filter(|one| caps.allow(one.inbox.organization_id).is_ok()).collect();
    let admission = Admission::lock(app, tx.as_mut(), &within, now).await?;
    let mut answers = Vec::with_capacity(submissions.len());
    let mut letters = Vec::with_capacity(within.len());
    let mut counted = Vec::new();
    let mut has_held = false;
    for submission in submissions {
        // Boxed, so that the future of a batch does not have the size of a held message.
        match outside_storage(Box::pin(admission.decide(tx.as_mut(), &caps, &counted, submission)).await)? {
            Ok(Admitted::Leaving { thread, pairs }) => {
                counted.extend(pairs);
                caps.count(submission.inbox.organization_id, submission.raw.len());
                let letter = Accepted::new(app, submission, thread);
                answers.push(Ok(Some(letter.sent())));
                letters.push(letter);
            }
            Ok(Admitted::Held(held)) => {
                has_held = true;
                answers.push(Ok(Some(held)));
            }
            Ok(Admitted::Unprepared) => answers.push(Ok(None)),
            Err(refusal) => answers.push(Err(refusal)),
        }
    }
    if letters.is_empty() {
        if has_held {
            tx.commit().await?;
        }
        return Ok(answers);
    }
    let mut departures = Departures::new(app, now);
    let queued = queue(app, &letters, &mut departures)?;
    let freed = take_place(app, tx.as_mut(), &letters).await?;
    let mut new = NewMail { queued, sends: caps.sends(), ..new_mail(app, letters) };
    new.usage.extend(freed);
    departures.commit_with(tx, &new).await?;
    contacts::trim(app, &new.events).await;
    app.waiting.recent_sends.record(counted, now);
    if new.queued.iter().any(|mail| mail.claim_id.is_none()) {
        app.wake.outgoing();
    }
    Ok(answers)
}

/// Returns the id of the thread that a message begins. One whose thread was deleted begins another.
fn begun_thread(app: &App, submission: &Submission) -> ThreadId {
    if submission.place.thread_id.is_some() { app.mint(submission.now) } else { submission.thread_id }
}

/// Accepted message in the form in which it is stored.
struct Accepted<'a> {
    submission: &'a Submission,
    message: Message,
    /// Thread that the message continues, in its earlier state.
    thread: Option<&'a Thread>,
}

/// Returns the message that a submission becomes in the inbox of its sender.
pub(super) fn message_of(app: &App, submission: &Submission, thread_id: ThreadId) -> Message {
    let origin = Origin {
        organization_id: submission.inbox.organization_id,
        inbox_id: submission.inbox.inbox_id.clone(),
        thread_id,
        message_id: submission.message_id.clone(),
        labels: submission.labels.clone(),
        bcc: submission.bcc.clone(),
        sent_by: Some(submission.sender.clone()),
        trust: None,
        recipient: None,
        calendar_event_id: submission.place.calendar.as_ref().map(|change| change.event_id()),
        size: submission.raw.len(),
        now: submission.now,
    };
    ingest::message(app, &submission.parsed, origin)
}

impl<'a> Accepted<'a> {
    fn new(app: &App, submission: &'a Submission, thread: Option<&'a Thread>) -> Self {
        let thread_id = thread.map_or_else(|| begun_thread(app, submission), |thread| thread.thread_id);
        Self { submission, message: message_of(app, submission, thread_id), thread }
    }

    fn sent(&self) -> SendResult {
        let MessageItem { message_id, thread_id, .. } = &self.message.item;
        SendResult { message_id: message_id.clone(), thread_id: *thread_id, held: None }
    }

    /// Returns the labels that the caller set when sending. Labels of the service have no actor and are left out.
    fn named_labels(&self) -> Relabelled {
        let item = &self.message.item;
        let of_service = item.labels.iter().filter(|label| labels::SYSTEM_LABELS.contains(label)).collect();
        Relabelled { message_id: item.message_id.clone(), before: of_service, after: item.labels.clone() }
    }
}

/// Completes the drafts, idempotency keys and calendar changes of messages, and records the label history. An expired
/// claim or a refused change fails the whole unit of work, because parts of its message may be written by then. Returns the storage that the drafts free.
async fn take_place(
    app: &App,
    tx: &mut dyn Tx,
    letters: &[Accepted<'_>],
) -> Result<Vec<(OrganizationId, InboxId, UsageChange)>, Error> {
    let mut freed = Vec::new();
    for Submission { inbox, place, .. } in letters.iter().map(|letter| letter.submission) {
        let Some(draft) = &place.draft else { continue };
        // `None` means that the draft was sent, changed or deleted in the meantime.
        let size = tx.drafts().remove(draft).await?.ok_or(Error::DraftSending(draft.draft_id))?;
        freed.push((inbox.organization_id, inbox.inbox_id.clone(), UsageChange::resized(size, 0)));
    }
    for letter in letters {
        let Submission { place, now, .. } = letter.submission;
        if let Some(claim) = &place.claim
            && !tx.idempotency_keys().keep(claim, &letter.sent(), *now).await?
        {
            // Another request holds the key, or has already sent.
            return Err(Error::SendKeyInUse(claim.key.clone()));
        }
    }
    for Submission { inbox, place, traceparent, .. } in letters.iter().map(|letter| letter.submission) {
        if let Some(change) = &place.calendar {
            change.apply(app, tx, inbox, *traceparent).await?;
        }
    }
    let mut history = Vec::new();
    for letter in letters {
        let Submission { inbox, sender, now, .. } = letter.submission;
        history.extend(history_of(app, inbox, sender, &[letter.named_labels()], *now));
    }
    if !history.is_empty() {
        tx.label_history().append(&history, app.settings.limits.get().rows.label_events).await?;
    }
    Ok(freed)
}

/// Returns the stored form of messages with their threads, events and usage.
fn new_mail(app: &App, letters: Vec<Accepted<'_>>) -> NewMail {
    let (mut new, mut counted) = (NewMail::default(), ContactChanges::default());
    for Accepted { submission, message, thread } in letters {
        let Submission { inbox, raw, raw_blob, recipients, now, .. } = submission;
        for change in contacts::of_sent(inbox.organization_id, &inbox.inbox_id, recipients, *now) {
            counted.add(change);
        }
        match thread {
            Some(thread) => new.joined.push(thread.clone().joined_by(&message.item)),
            None => new.begun.push(Thread::started_by(&message.item)),
        }
        new.events.extend(approved_event(app, submission, message.item.thread_id));
        new.events.push(sent_event(app, submission, message.item.thread_id));
        let change = UsageChange {
            storage_bytes: i64::try_from(raw.len()).unwrap_or(i64::MAX),
            messages: 1,
            threads: i64::from(thread.is_none()),
        };
        new.usage.push((inbox.organization_id, inbox.inbox_id.clone(), change));
        let search_text = ingest::search_text(&message);
        let (header_message_id, digest) = (None, None);
        let (raw, raw_blob) = (raw.clone(), raw_blob.clone());
        new.messages.push(NewMessage { message, raw, raw_blob, header_message_id, digest, search_text });
    }
    event_ids::ascend(&mut new.events);
    new.contacts = counted.into_vec();
    new
}

/// Returns the queue entries of messages, and claims those that can be dispatched at once.
fn queue<'a>(
    app: &'a App,
    letters: &[Accepted<'a>],
    departures: &mut Departures<'a>,
) -> Result<Vec<QueuedMail>, Error> {
    let mut mails = Vec::with_capacity(letters.len());
    for Accepted { submission, message, .. } in letters {
        for mut mail in queued(app, submission, message.item.thread_id)? {
            departures.claim(&mut mail, &submission.raw);
            mails.push(mail);
        }
    }
    Ok(mails)
}
