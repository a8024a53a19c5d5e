//! Reply to a message, and forward of a message.

use std::collections::BTreeSet;

use inboxd_mail::{Disposition, EmailAddress, Mailbox, attachment_contents, forward_subject, reply_subject};

use super::get;
use crate::Error;
use crate::app::drafts::{self, NewDraft};
use crate::app::letter::{AttachmentSource, Letter, LetterAttachment, check, problems_of_answer};
use crate::app::submit::{DryRun, Place, dry_run, submit};
use crate::app::{App, inboxes};
use crate::model::{Caller, IdempotencyClaim, Inbox, InboxId, Message, MessageId, MessageItem, Permission, SendResult};
use crate::ports::WorkOwner;
use crate::rules::{access, loops, recipients};

/// Maximum number of ids in References. The first and the newest ids remain.
const MAX_REFERENCES: usize = 50;

/// Recipients of a reply without explicit recipients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The sender of the message.
    Sender,
    /// All senders and recipients of the message except the inbox itself.
    Everyone,
}

/// Replies to a message in its thread.
///
/// # Errors
/// As [`super::send()`], and [`Error::NotFound`] for the message.
pub async fn reply(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    audience: Audience,
    letter: Letter,
    claim: Option<IdempotencyClaim>,
) -> Result<SendResult, Error> {
    if let Some(send_at) = letter.time.due_at(app.clock.now())? {
        let inbox = inbox_of_reply(app, caller, inbox_id, &letter).await?;
        let (in_reply_to, reply_all) = (Some(message_id.clone()), audience == Audience::Everyone);
        let new = NewDraft { letter, in_reply_to, reply_all, send_at: Some(send_at), ..NewDraft::default() };
        return Box::pin(drafts::delay(app, caller, &inbox, new, claim.as_ref())).await;
    }
    let (inbox, letter, place) = prepare_reply(app, caller, inbox_id, message_id, audience, letter).await?;
    submit(app, caller, &inbox, letter, Place { claim, ..place }).await
}

/// Returns the result that [`reply`] would have. It shows recipients and subject of the message, so it also needs the
/// permission to read messages.
///
/// # Errors
/// As [`reply`]; refusals for recipients, quotas and budgets are in the result.
pub async fn dry_run_reply(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    audience: Audience,
    letter: Letter,
) -> Result<DryRun, Error> {
    access::require(caller, Permission::MessageRead)?;
    let (inbox, letter, place) = prepare_reply(app, caller, inbox_id, message_id, audience, letter).await?;
    dry_run(app, caller, &inbox, letter, place).await
}

async fn prepare_reply(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    audience: Audience,
    letter: Letter,
) -> Result<(Inbox, Letter, Place), Error> {
    let inbox = inbox_of_reply(app, caller, inbox_id, &letter).await?;
    let answered = get::find(app, caller, inbox_id, message_id).await?;
    loops::refuse_automatic(&caller.actor, &answered, letter.allow_automatic)?;
    require_confirmed_recipients(&answered.item, audience, &letter)?;
    let place = place_of_reply(&answered);
    let letter = answering(&inbox, &answered.item, audience, letter)?;
    Ok((inbox, letter, place))
}

/// Returns the place of a reply in the thread of its message.
pub(super) fn place_of_reply(answered: &Message) -> Place {
    Place {
        thread_id: Some(answered.item.thread_id),
        in_reply_to: Some(wire_id(answered)),
        answered: Some(answered.item.message_id.clone()),
        references: references(answered),
        ..Place::default()
    }
}

/// Refuses a reply to a Reply-To that leads elsewhere, unless the caller confirms it or names the recipients.
///
/// # Errors
/// [`Error::Loop`].
pub(in crate::app) fn require_confirmed_recipients(
    answered: &MessageItem,
    audience: Audience,
    letter: &Letter,
) -> Result<(), Error> {
    let names_recipients = !(letter.to.is_empty() && letter.cc.is_empty() && letter.bcc.is_empty());
    if audience == Audience::Sender && names_recipients {
        return Ok(());
    }
    recipients::require_reply_to_confirmation(answered, letter.confirm_reply_to)
}

async fn inbox_of_reply(app: &App, caller: &Caller, inbox_id: &InboxId, letter: &Letter) -> Result<Inbox, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageSend)?;
    Error::unless_empty(problems_of_answer(letter))?;
    inboxes::find(app, caller, inbox_id).await
}

/// Forwards a message with its text and attachments in a new thread.
///
/// # Errors
/// As [`reply`].
pub async fn forward(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    letter: Letter,
    claim: Option<IdempotencyClaim>,
) -> Result<SendResult, Error> {
    if let Some(send_at) = letter.time.due_at(app.clock.now())? {
        let inbox = inbox_of_forward(app, caller, inbox_id, &letter).await?;
        let forward_of = Some(message_id.clone());
        let new = NewDraft { letter, forward_of, send_at: Some(send_at), ..NewDraft::default() };
        return Box::pin(drafts::delay(app, caller, &inbox, new, claim.as_ref())).await;
    }
    let (inbox, letter) = prepare_forward(app, caller, inbox_id, message_id, letter).await?;
    submit(app, caller, &inbox, letter, Place { claim, ..Place::default() }).await
}

/// Returns the result that [`forward`] would have.
///
/// # Errors
/// As [`forward`]; refusals for recipients, quotas and budgets are in the result.
pub async fn dry_run_forward(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    letter: Letter,
) -> Result<DryRun, Error> {
    let (inbox, letter) = prepare_forward(app, caller, inbox_id, message_id, letter).await?;
    dry_run(app, caller, &inbox, letter, Place::default()).await
}

async fn prepare_forward(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    letter: Letter,
) -> Result<(Inbox, Letter), Error> {
    let inbox = inbox_of_forward(app, caller, inbox_id, &letter).await?;
    let letter = forwarded(app, caller, inbox_id, message_id, letter).await?;
    Ok((inbox, letter))
}

async fn inbox_of_forward(app: &App, caller: &Caller, inbox_id: &InboxId, letter: &Letter) -> Result<Inbox, Error> {
    access::require_inbox(caller, inbox_id)?;
    // A forward discloses the message to any chosen address, so it needs the permission to read messages.
    access::require(caller, Permission::MessageSend)?;
    access::require(caller, Permission::MessageRead)?;
    check(letter)?;
    inboxes::find(app, caller, inbox_id).await
}

/// Adds the text and attachments of a message to a letter. The use case has already checked permission and inbox.
pub(in crate::app) async fn forwarded(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    letter: Letter,
) -> Result<Letter, Error> {
    let original = get::find(app, caller, inbox_id, message_id).await?;
    let _permit = app.waiting.large_reads.acquire(caller.organization.organization_id).await?;
    let raw = get::find_raw(app, caller, inbox_id, message_id).await?.raw;
    let owner = WorkOwner::Organization(original.item.organization_id);
    app.compute(owner, raw.len(), move || carrying(&original, &raw, letter)).await
}

/// Returns the Message-ID in the header of a message, which may differ from the stored id.
fn wire_id(message: &Message) -> MessageId {
    let on_the_wire = message
        .body
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("message-id"))
        .and_then(|(_, value)| MessageId::parse(value.trim()));
    on_the_wire.unwrap_or_else(|| message.item.message_id.clone())
}

/// Adds the implied recipients and subject of a reply where the caller names none.
///
/// # Errors
/// [`Error::TooManyToAnswer`] for a reply to everyone.
pub(in crate::app) fn answering(
    inbox: &Inbox,
    answered: &MessageItem,
    audience: Audience,
    letter: Letter,
) -> Result<Letter, Error> {
    let letter = addressed(inbox, answered, audience, letter);
    if audience == Audience::Everyone {
        recipients::require_reply_all_limit(&letter.to, &letter.cc, &letter.bcc)?;
    }
    let subject = letter.subject.or_else(|| Some(reply_subject(answered.subject.as_deref())));
    Ok(Letter { subject, ..letter })
}

/// Returns the References of a reply (RFC 5322, section 3.6.4): those of the original and its own id.
pub(in crate::app) fn references(answered: &Message) -> Vec<MessageId> {
    let item = &answered.item;
    let before = if item.references.is_empty() { item.in_reply_to.as_slice() } else { &item.references };
    let mut references: Vec<MessageId> = before.to_vec();
    references.push(wire_id(answered));
    if references.len() > MAX_REFERENCES {
        references.drain(1..=references.len() - MAX_REFERENCES);
    }
    references
}

/// Adds the implied recipients of a reply where the caller names none.
fn addressed(inbox: &Inbox, answered: &MessageItem, audience: Audience, letter: Letter) -> Letter {
    // An address with a tag belongs to the same inbox, so it is excluded too.
    let is_own = |mailbox: &Mailbox| mailbox.address.without_tag() == inbox.inbox_id.as_str();
    let was_sent = answered.labels.contains("sent");
    let writers = if was_sent {
        // A reply to a sent message goes to its recipients.
        mailboxes(&answered.to)
    } else if answered.reply_to.is_empty() {
        mailboxes(std::slice::from_ref(&answered.from))
    } else {
        mailboxes(&answered.reply_to)
    };
    if audience == Audience::Sender {
        let to =
            if letter.to.is_empty() && letter.cc.is_empty() && letter.bcc.is_empty() { writers } else { letter.to };
        return Letter { to, ..letter };
    }
    let mut to = writers;
    let mut known: BTreeSet<EmailAddress> = BTreeSet::new();
    let mut fresh = |mailbox: &Mailbox| !is_own(mailbox) && known.insert(mailbox.address.clone());
    to.extend(if was_sent { Vec::new() } else { mailboxes(&answered.to) });
    to.extend(letter.to);
    to.retain(&mut fresh);
    let mut cc = mailboxes(&answered.cc);
    cc.extend(letter.cc);
    cc.retain(&mut fresh);
    if to.is_empty() && cc.is_empty() && letter.bcc.is_empty() {
        // The inbox wrote to itself alone.
        to = mailboxes(std::slice::from_ref(&answered.from));
    }
    Letter { to, cc, ..letter }
}

/// Returns the valid mailboxes of a stored header field.
pub(in crate::app) fn mailboxes(texts: &[String]) -> Vec<Mailbox> {
    texts.iter().filter_map(|text| mailbox(text)).collect()
}

/// Parses a stored mailbox.
///
/// Text before the last bracket is the display name. The name was stored decoded, so `Müller, Anna
/// <anna@example.org>` lacks the quotes that RFC 5322 requires.
fn mailbox(text: &str) -> Option<Mailbox> {
    let Some((name, address)) = text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) else {
        return text.parse().ok();
    };
    let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    Some(Mailbox { name, address: address.parse().ok()? })
}

/// Returns the letter with the text and attachments of the forwarded message.
fn carrying(original: &Message, raw: &[u8], letter: Letter) -> Letter {
    let item = &original.item;
    let mut head = vec![format!("From: {}", item.from), format!("Date: {}", date(item))];
    head.extend(item.subject.as_ref().map(|subject| format!("Subject: {subject}")));
    head.push(format!("To: {}", item.to.join(", ")));
    if !item.cc.is_empty() {
        head.push(format!("Cc: {}", item.cc.join(", ")));
    }
    let original_text = original.body.text.as_deref().unwrap_or_default();
    let text = format!(
        "{}---------- Forwarded message ----------\n{}\n\n{original_text}",
        letter.text.as_deref().map(|text| format!("{text}\n\n")).unwrap_or_default(),
        head.join("\n"),
    );
    let html = (letter.html.is_some() || original.body.html.is_some()).then(|| {
        let own = letter.html.clone().unwrap_or_else(|| paragraph(letter.text.as_deref().unwrap_or_default()));
        let original_html = original.body.html.clone().unwrap_or_else(|| paragraph(original_text));
        let head = paragraph(&format!("---------- Forwarded message ----------\n{}", head.join("\n")));
        format!("{own}{head}{original_html}")
    });
    let mut attachments = letter.attachments;
    let parts: Vec<usize> = item.attachments.iter().map(|attachment| attachment.part).collect();
    let contents = attachment_contents(raw, &parts);
    attachments.extend(item.attachments.iter().zip(contents).filter_map(|(attachment, content)| {
        Some(LetterAttachment {
            filename: attachment.filename.clone(),
            content_type: attachment.content_type.clone(),
            content_disposition: attachment.content_disposition.or(Some(Disposition::Attachment)),
            content_id: attachment.content_id.clone(),
            source: AttachmentSource::Content(content?),
        })
    }));
    let subject = letter.subject.or_else(|| Some(forward_subject(item.subject.as_deref())));
    Letter { subject, text: Some(text), html, attachments, ..letter }
}

fn date(item: &MessageItem) -> String {
    item.timestamp.format(&time::format_description::well_known::Rfc2822).unwrap_or_default()
}

/// Converts plain text to HTML.
fn paragraph(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\n', "<br>\n");
    if escaped.is_empty() { escaped } else { format!("<p>{escaped}</p>\n") }
}
