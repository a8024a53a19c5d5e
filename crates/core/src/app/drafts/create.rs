//! Creation of a draft.

use inboxd_mail::{Mailbox, forward_subject};
use time::OffsetDateTime;

use super::content::{attached, checked, draft_fetch, objects_of, require_fetchable, upload_contents};
use crate::app::contention::{is_contention, retried};
use crate::app::letter::{Letter, problems_beside_everyone, problems_of_answer};
use crate::app::messages::{self, Audience, answering, require_confirmed_recipients};
use crate::app::submit::{FetchShare, read_attachments};
use crate::app::{App, inboxes, row_limits, scope};
use crate::model::permissions::DraftCreate;
use crate::model::{
    Caller, Draft, DraftItem, DraftKind, IdempotencyClaim, Inbox, InboxId, Labels, Message, MessageId, Permission,
    SendResult, SendSchedule, UsageChange,
};
use crate::ports::{ClientIdKind, DraftContent, MadeDraft};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{access, labels, names, recipients};
use crate::{Error, FieldError};

/// Request for a new draft.
#[derive(Debug, Clone, Default)]
pub struct NewDraft {
    /// The content. A draft has no additional header fields.
    pub letter: Letter,
    /// The message that the draft replies to.
    pub in_reply_to: Option<MessageId>,
    /// Whether the reply goes to all senders and recipients of that message.
    pub reply_all: bool,
    /// The message that the draft forwards.
    pub forward_of: Option<MessageId>,
    /// The scheduled time of the send.
    pub send_at: Option<OffsetDateTime>,
    /// The client's idempotency key.
    pub client_id: Option<String>,
}

/// Creates a draft, or returns the earlier draft of the same `client_id`.
///
/// A reply receives its recipients and its subject now.
///
/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`] for the inbox or the message, [`Error::ClientIdSpent`],
/// [`Error::TooLarge`], [`Error::LimitReached`], [`Error::RowLimitReached`].
pub async fn create(
    app: &App,
    caller: &AuthorizedCaller<DraftCreate>,
    inbox_id: &InboxId,
    new: NewDraft,
) -> Result<Draft, Error> {
    if new.in_reply_to.is_some() || new.forward_of.is_some() {
        access::require(caller, Permission::MessageRead)?;
    }
    if new.send_at.is_some() {
        // A scheduled draft is sent later without another request, so its creation needs the permission to send.
        access::require(caller, Permission::DraftSend)?;
    }
    let now = app.clock.now();
    Error::unless_empty(problems_of_new(&new, now))?;
    require_fetchable(caller, "attachments", &new.letter.attachments)?;
    let mut own_labels = labels::for_sent_message(&new.letter.labels)?;
    own_labels.remove("sent");
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let client_id = new.client_id.clone();
    if let Some(client_id) = &client_id
        && let Some(made) = app.store.draft_of_client_id(caller.organization.organization_id, client_id).await?
    {
        return within_reach(app, caller, client_id, made).await;
    }
    let send_at = new.send_at;
    let addressed = address(app, caller, &inbox, new).await?;
    let (mut draft, contents, _held) = write(app, caller, &inbox, addressed, own_labels, now).await?;
    draft.item = DraftItem { client_id: client_id.clone(), ..draft.item.scheduled(send_at) };
    let stored = retried(is_contention, || store(app, &inbox, &draft, &contents, None)).await;
    app.discard_unless_stored(&objects_of(&contents), &stored, |()| true).await;
    match (stored, client_id) {
        (Err(Error::ClientIdSpent(_)), Some(client_id)) => {
            // A concurrent request with the same `client_id` stored its draft first.
            let made = app.store.draft_of_client_id(caller.organization.organization_id, &client_id).await?;
            within_reach(app, caller, &client_id, made.unwrap_or(MadeDraft::Gone)).await
        }
        (stored, _) => stored.map(|()| draft),
    }
}

/// Returns the content that a new draft would begin with: recipients and subject of a reply, the subject of a forward.
///
/// # Errors
/// As [`create`].
pub async fn propose(
    app: &App,
    caller: &AuthorizedCaller<DraftCreate>,
    inbox_id: &InboxId,
    new: NewDraft,
) -> Result<Letter, Error> {
    if new.in_reply_to.is_some() || new.forward_of.is_some() {
        access::require(caller, Permission::MessageRead)?;
    }
    Error::unless_empty(problems_of_new(&new, app.clock.now()))?;
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    Ok(address(app, caller, &inbox, new).await?.1)
}

/// Returns every problem that a new draft has by itself. `now` is the earliest time of its send.
#[must_use]
pub fn problems_of_new(new: &NewDraft, now: OffsetDateTime) -> Vec<FieldError> {
    // A draft may lack recipients, as a reply may.
    let mut problems = problems_of_answer(&new.letter);
    let mut note = |path: &str, message: &str| problems.push(FieldError::new(path, message));
    if new.in_reply_to.is_some() && new.forward_of.is_some() {
        note("forward_of", "stands beside in_reply_to; a draft is an answer or passes a message on");
    }
    if new.reply_all && new.in_reply_to.is_none() {
        note("reply_all", "needs in_reply_to");
    }
    if new.send_at.is_some_and(|at| at <= now) {
        note("send_at", "must be in the future");
    }
    if let Some(Err(message)) = new.client_id.as_deref().map(names::validate_client_id) {
        note("client_id", &message);
    }
    if new.reply_all {
        problems.extend(problems_beside_everyone(&new.letter));
    }
    problems
}

/// Returns the earlier draft of a `client_id` if it exists within the caller's reach.
async fn within_reach(app: &App, caller: &Caller, client_id: &str, made: MadeDraft) -> Result<Draft, Error> {
    let spent = || Error::ClientIdSpent(client_id.to_owned());
    let MadeDraft::Here(draft) = made else { return Err(spent()) };
    access::require_inbox(caller, &draft.item.inbox_id).map_err(|_| spent())?;
    match inboxes::find(app, caller, &draft.item.inbox_id).await {
        Ok(_) => Ok(*draft),
        Err(Error::Store(error)) => Err(error.into()),
        Err(_) => Err(spent()),
    }
}

/// Composes the draft before any unit of work, since attachments may come from the network.
pub(super) async fn write(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    (kind, letter): (DraftKind, Letter),
    own_labels: Labels,
    now: OffsetDateTime,
) -> Result<(Draft, Vec<DraftContent>, FetchShare), Error> {
    let order = draft_fetch(caller, inbox, &kind, "attachments");
    let (parts, held) = read_attachments(app, &order, letter.attachments).await?;
    let (attachments, contents) = attached(app, parts, now);
    let item = DraftItem {
        organization_id: inbox.organization_id,
        pod_id: inbox.pod_id,
        inbox_id: inbox.inbox_id.clone(),
        draft_id: app.mint(now),
        client_id: None,
        kind,
        labels: Labels::default(),
        to: shown(&letter.to),
        cc: shown(&letter.cc),
        bcc: shown(&letter.bcc),
        reply_to: shown(&letter.reply_to),
        subject: letter.subject,
        preview: None,
        attachments,
        dispatch: SendSchedule::default(),
        delayed: None,
        approval: None,
        created_by: caller.actor.clone(),
        updated_by: caller.actor.clone(),
        agent: None,
        created_at: now,
        updated_at: now,
    };
    let draft = Draft { item: item.labelled(own_labels), text: letter.text, html: letter.html };
    let draft = checked(app, inbox, draft).await?;
    Ok((draft, upload_contents(app, inbox.organization_id, contents).await?, held))
}

/// Returns the kind of a draft, and its content with the implied recipients and subject.
pub(super) async fn address(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    new: NewDraft,
) -> Result<(DraftKind, Letter), Error> {
    let audience = if new.reply_all { Audience::Everyone } else { Audience::Sender };
    match (new.in_reply_to, new.forward_of) {
        (Some(message_id), _) => {
            let answered = messages::find(app, caller, &inbox.inbox_id, &message_id).await?;
            // A draft shows its recipients before somebody sends it, but a scheduled one leaves without another request.
            if new.send_at.is_some() {
                require_confirmed_recipients(&answered.item, audience, &new.letter)?;
            }
            answer(inbox, &answered, audience, new.letter)
        }
        (None, Some(message_id)) => {
            let original = messages::find(app, caller, &inbox.inbox_id, &message_id).await?.item;
            let subject = new.letter.subject.or_else(|| Some(forward_subject(original.subject.as_deref())));
            Ok((DraftKind::Forward { forward_of: original.message_id }, Letter { subject, ..new.letter }))
        }
        (None, None) => Ok((DraftKind::Plain, new.letter)),
    }
}

fn answer(inbox: &Inbox, answered: &Message, audience: Audience, letter: Letter) -> Result<(DraftKind, Letter), Error> {
    let kind = DraftKind::Reply {
        in_reply_to: answered.item.message_id.clone(),
        thread_id: answered.item.thread_id,
        references: messages::references(answered),
    };
    let letter = answering(inbox, &answered.item, audience, letter)?;
    recipients::validate_draft(&letter.to, &letter.cc, &letter.bcc)?;
    Ok((kind, letter))
}

/// Returns mailboxes in their stored form.
pub(super) fn shown(mailboxes: &[Mailbox]) -> Vec<String> {
    mailboxes.iter().map(ToString::to_string).collect()
}

/// Stores a new draft, and the result of the delayed send that made it for its idempotency key.
pub(super) async fn store(
    app: &App,
    inbox: &Inbox,
    draft: &Draft,
    contents: &[DraftContent],
    kept: Option<(&IdempotencyClaim, &SendResult)>,
) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    let DraftItem { organization_id, draft_id, client_id, .. } = &draft.item;
    let organization = row_limits::lock_organization(tx.as_mut(), *organization_id).await?;
    inboxes::hold(tx.as_mut(), inbox).await?;
    if let Some(client_id) = client_id
        && tx
            .client_ids()
            .spend(*organization_id, ClientIdKind::Draft, client_id, &draft_id.to_string())
            .await?
            .is_some()
    {
        return Err(Error::ClientIdSpent(client_id.clone()));
    }
    row_limits::require_storage(tx.as_mut(), &organization).await?;
    row_limits::require_draft(app, tx.as_mut(), *organization_id, &inbox.inbox_id).await?;
    tx.drafts().insert(draft, contents).await?;
    if let Some((claim, sent)) = kept
        && !tx.idempotency_keys().keep(claim, sent, draft.item.created_at).await?
    {
        return Err(Error::SendKeyInUse(claim.key.clone()));
    }
    let stored = UsageChange::resized(0, draft.size());
    tx.usage().change(&[(*organization_id, inbox.inbox_id.clone(), stored)]).await?;
    if client_id.is_some() {
        row_limits::count_creation(app, tx.as_mut(), *organization_id, draft.item.created_at).await?;
    }
    Ok(tx.commit().await?)
}
